/** The outbound queue: hands each message to its channel's carrier. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { dynamo, secretsManager, sqs } from '../shared/aws.ts';
import { processBatch } from '../shared/batch.ts';
import { chooseCarriers } from '../shared/carrier/choose.ts';
import { disabledClients } from '../shared/client/disabled-clients.dynamo.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { type DispatchDependencies, dispatch } from '../shared/message/dispatch.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { sqsOutboundQueue } from '../shared/message/outbound-queue.sqs.ts';
import { countMetric } from '../shared/metrics.ts';
import { handOverBodies } from '../shared/otp/hand-over-body.ts';
import { secretsManagerOtpSecrets } from '../shared/otp/otp-secret.secrets.ts';
import { postponeOn } from '../shared/postpone.sqs.ts';

const env = readEnvironment(['CLIENTS_TABLE', 'OUTBOUND_QUEUE_URL', 'OTP_SECRET_ARN']);
const carriers = chooseCarriers(systemClock);
const queues = sqs();
const deps: DispatchDependencies = {
  messages: messagesFromEnvironment(),
  carrierFor: (message) => carriers[message.channel],
  bodyOf: handOverBodies(secretsManagerOtpSecrets(secretsManager(), env.OTP_SECRET_ARN, systemClock)),
  isDisabled: disabledClients(dynamo(), env.CLIENTS_TABLE, systemClock),
  outbound: sqsOutboundQueue(queues, env.OUTBOUND_QUEUE_URL),
  clock: systemClock,
  newClaimId: randomUUID,
  sleep: async (ms) => void (await sleep(ms)),
};
const postpone = postponeOn(queues, env.OUTBOUND_QUEUE_URL);
const queueMessage = z.object({ message_id: z.string() });

export function handler(event: SQSEvent) {
  return processBatch(
    event,
    queueMessage,
    async ({ message_id }) => {
      const dispatched = await dispatch(deps, message_id);
      const { outcome, message, againAfterSeconds, requeuedForSeconds, errorCode } = dispatched;
      if (errorCode !== undefined) countMetric('CarrierRefusal');
      if (outcome === 'try_again') countMetric('CarrierThrottle');
      log.info('dispatch', {
        message_id,
        outcome,
        client_id: message?.client_id,
        channel: message?.channel,
        attempt: message?.handover_attempts,
        // What the alarm on spend adds up.
        cost: outcome === 'sent' ? message?.cost : undefined,
        again_after_seconds: againAfterSeconds ?? requeuedForSeconds,
        error_code: errorCode,
      });
      return { againAfterSeconds };
    },
    postpone,
  );
}
