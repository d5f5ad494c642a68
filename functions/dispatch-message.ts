/** Consumes the outbound queues: hands each message over to a carrier of its channel. */

import type { SQSEvent } from 'aws-lambda';
import { carrierModules } from '#carriers';
import { carrierSecrets } from '../shared/carrier/carrier-secrets.secrets.ts';
import { chooseCarriers } from '../shared/carrier/choose-carrier.ts';
import { isClientDisabled } from '../shared/client/client-store.dynamo.ts';
import { modeOf } from '../shared/contract/mode.ts';
import { readAllEditedRows } from '../shared/edited-table/row-editor.dynamo.ts';
import { capsInForce, takeFromCaps } from '../shared/limit/client-caps.ts';
import type { DispatchContext } from '../shared/message/dispatch/dispatch-context.ts';
import { dispatchQueued } from '../shared/message/dispatch/dispatch-message.ts';
import { outboundUrlOf, queuedMessage } from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { newWorkerPace } from '../shared/message/dispatch/sender-pace.dynamo.ts';
import { otpHandOverMs } from '../shared/otp/otp.ts';
import { secretsManagerOtpSecrets } from '../shared/otp/otp-code.secrets.ts';
import { handOverBodies, otpLegs } from '../shared/otp/otp-hand-over.ts';
import { secretsManager } from '../shared/platform/aws/clients.ts';
import { changeVisibilityOn } from '../shared/platform/aws/queues.sqs.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { countMetric, log } from '../shared/platform/log.ts';
import { processBatch } from '../shared/platform/process-queue-batch.ts';
import { currentPaces } from '../shared/sender/current-pace.ts';
import { senderTable } from '../shared/sender/sender-row.ts';

const context = contextOf(environmentOf<'dispatch-message'>());
const { env, clock } = context;
const secrets = secretsManager();
const dispatching: DispatchContext = {
  ...context,
  carriersFor: chooseCarriers(
    carrierModules,
    env,
    carrierSecrets(secrets, { arns: env.CARRIER_SECRETS, baseUrls: env.CARRIER_BASE_URLS }, clock),
    clock,
  ),
  bodyOf: handOverBodies(secretsManagerOtpSecrets(secrets, env.OTP_SECRET_ARN, clock)),
  isDisabled: (clientId) => isClientDisabled(context, clientId),
  pace: newWorkerPace(),
  currentPaceOf: currentPaces({ allRows: () => readAllEditedRows(context, senderTable) }, clock),
  takeFromCaps: async (clientId, messages, now) =>
    takeFromCaps(context, { clientId, limits: await capsInForce(context, clientId), now }, messages),
  otpLegs: otpLegs(context),
};

export function handler(event: SQSEvent) {
  return processBatch(
    event,
    queuedMessage,
    async (queued) => {
      const { message_id } = queued;
      const dispatched = await dispatchQueued(dispatching, queued);
      const { outcome, message, retryAfterSeconds, requeuedForSeconds, errorCode } = dispatched;
      const isLive = message === undefined || modeOf(message.client_id) === 'live';
      if (isLive && errorCode !== undefined) countMetric('CarrierRefusal');
      if (isLive && outcome === 'try_again') countMetric('CarrierThrottle');
      log.info('dispatch', {
        message_id,
        outcome,
        client_id: message?.client_id,
        channel: message?.channel,
        attempt: message?.handover_attempts,
        carrier: message?.attempts?.at(-1)?.carrier,
        // The alarm `spend` uses the sum of these costs. A test message costs nothing.
        cost: outcome === 'sent' && isLive ? message?.cost : undefined,
        // Measures whether one-time passwords meet their objective.
        otp_ms: outcome === 'sent' && message !== undefined ? otpHandOverMs(message, clock()) : undefined,
        again_after_seconds: retryAfterSeconds ?? requeuedForSeconds,
        error_code: errorCode,
      });
      return { retryAfterSeconds };
    },
    // All records of a batch come from one queue.
    (receiptHandle, seconds) =>
      changeVisibilityOn(context.sqs(), outboundUrlOf(context, event.Records[0]?.eventSourceARN ?? ''))(
        receiptHandle,
        seconds,
      ),
  );
}
