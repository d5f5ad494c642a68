/** The outbound queues on SQS: fair between clients by `MessageGroupId`. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type SendKind, sendKinds } from '../../contract/send-kinds.ts';
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { sendMessages } from '../../platform/aws/send-messages.sqs.ts';
import type { EnvironmentName } from '../../platform/env.ts';
import { type OutboundQueue, queuedMessageOf } from './outbound-queue.ts';

type OutboundQueueUrls = Readonly<Record<SendKind, string>>;

/** The variables of a function that sends to the outbound queues. */
export const outboundQueuesEnvironment = [
  'OTP_OUTBOUND_QUEUE_URL',
  'OUTBOUND_QUEUE_URL',
  'BULK_OUTBOUND_QUEUE_URL',
] as const satisfies readonly EnvironmentName[];

export function outboundQueueUrls(
  env: Readonly<Record<(typeof outboundQueuesEnvironment)[number], string>>,
): OutboundQueueUrls {
  return {
    otp: env.OTP_OUTBOUND_QUEUE_URL,
    single: env.OUTBOUND_QUEUE_URL,
    bulk: env.BULK_OUTBOUND_QUEUE_URL,
  };
}

export function sqsOutboundQueue(client: SQSClient, queueUrls: OutboundQueueUrls): OutboundQueue {
  return {
    async enqueue(entries) {
      await allEnded(
        sendKinds
          .map((kind) => ({ kind, ofKind: entries.filter((entry) => entry.kind === kind) }))
          .filter(({ ofKind }) => ofKind.length > 0)
          .map(({ kind, ofKind }) =>
            sendMessages(
              client,
              queueUrls[kind],
              ofKind.map((entry) => ({
                json: JSON.stringify(queuedMessageOf(entry)),
                clientId: entry.clientId,
                delaySeconds: entry.delaySeconds,
              })),
            ),
          ),
      );
    },
  };
}

/** The URL of the queue that an event comes from: a queue's ARN and its URL end with its name. */
export function urlOfQueue(queueUrls: OutboundQueueUrls, queueArn: string): string {
  const name = queueArn.split(':').at(-1);
  const url = Object.values(queueUrls).find((each) => each.split('/').at(-1) === name);
  if (url === undefined) throw new Error(`${queueArn} is none of the outbound queues`);
  return url;
}
