/**
 * Reads two streams: counts changes of messages in usage, and one-time passwords with their verifications in the traffic
 * that decides about holds. A batch contains records of a single shard, and Lambda may repeat it as a whole or in part. The
 * last call of a tumbling window contains no records.
 */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { countOtps, otpCounter, otpRecords } from '../shared/otp/otp-traffic.dynamo.ts';
import { reviewTraffic } from '../shared/otp/review-traffic.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { usageChanges, usageCounter } from '../shared/usage/count-changes.ts';
import { addUpNotes, noteChanges } from '../shared/usage/count-journal.dynamo.ts';

const context = contextOf(environmentOf<'count-usage'>());
const usage = usageCounter(context);
const otps = otpCounter(context);

/** With a tumbling window, Lambda requires a response with a state. */
const answer = { state: {} };

export async function handler(
  event: DynamoDBStreamEvent & {
    readonly shardId: string;
    readonly isFinalInvokeForWindow: boolean;
  },
): Promise<typeof answer> {
  const { shardId, Records, isFinalInvokeForWindow: isLast } = event;
  if (shardId === undefined) throw new Error('The event names no shard: its source needs a tumbling window.');
  const records = Records.length;
  // Only rows of one-time passwords have this key.
  if (Records.some(({ dynamodb }) => dynamodb?.Keys?.otp_id !== undefined)) {
    const changes = otpRecords(Records);
    const counted = await countOtps(otps, shardId, changes);
    const findings = await reviewTraffic(context, changes);
    log.info('one-time passwords counted', {
      records,
      ...counted,
      findings: findings.map(({ client_id, country, state }) => `${client_id} ${country} ${state}`),
    });
    return answer;
  }
  const counted = await noteChanges(usage, shardId, usageChanges(Records));
  await addUpNotes(usage, { waits: isLast });
  log.info('usage counted', { records, ...counted });
  return answer;
}
