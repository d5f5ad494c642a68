/** The outbound queue: hands each message to its channel's carrier. */
import { randomUUID } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { dynamo, sqs } from '../shared/aws.ts';
import { processBatch } from '../shared/batch.ts';
import { chooseCarriers } from '../shared/carrier/choose.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { type DispatchDependencies, dispatch } from '../shared/message/dispatch.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { postponeOn } from '../shared/postpone.sqs.ts';

const env = readEnvironment(['MESSAGES_TABLE', 'OUTBOUND_QUEUE_URL', 'RETENTION_DAYS']);
const carriers = await chooseCarriers(systemClock);
const deps: DispatchDependencies = {
  messages: dynamoMessageStore(dynamo(), {
    tableName: env.MESSAGES_TABLE,
    retentionDays: env.RETENTION_DAYS,
  }),
  carrierFor: (message) => carriers[message.channel],
  bodyOf: async (message) => message.text ?? '',
  clock: systemClock,
  newClaimId: randomUUID,
};
const postpone = postponeOn(sqs(), env.OUTBOUND_QUEUE_URL);
const queueMessage = z.object({ message_id: z.string() });

export function handler(event: SQSEvent) {
  return processBatch(
    event,
    queueMessage,
    async ({ message_id }) => {
      const { outcome, message, againAfterSeconds } = await dispatch(deps, message_id);
      log.info('dispatch', {
        message_id,
        outcome,
        client_id: message?.client_id,
        channel: message?.channel,
        attempt: message?.handover_attempts,
        again_after_seconds: againAfterSeconds,
      });
      return { againAfterSeconds };
    },
    postpone,
  );
}
