/**
 * Reads the streams of the tables that administrators edit (limit-overrides and senders). Writes each change to the activity
 * log, and feedback into the row. Reviews expired limits every minute, and all rows every hour. A batch succeeds or fails as
 * a whole. Repeating a batch is safe, because entries have the ids of their records, and unchanged feedback is not written
 * again.
 */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { existingClients } from '../shared/client/client-store.dynamo.ts';
import { readRowChanges, recordRowChanges } from '../shared/edited-table/record-row-changes.ts';
import { overrideTable } from '../shared/limit/overrides.ts';
import {
  reviewAll,
  reviewClients,
  reviewExpired,
  wholeReviewSeconds,
} from '../shared/limit/review-limits.ts';
import { addSeconds } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { reviewSenders } from '../shared/sender/sender-feedback.ts';
import { senderTable } from '../shared/sender/sender-row.ts';

const context = contextOf(environmentOf<'review-edited-rows'>());
const { clock, env } = context;
const existing = (ids: readonly string[]) => existingClients(context, ids);

/**
 * The time at which this instance next reviews all rows. A new instance, for example after a deploy, reviews all rows in its
 * first run.
 */
let nextWholeReview = new Date(0);

/** A stream calls the function with records, and the schedule calls it without records. */
export async function handler({ Records: records }: Partial<DynamoDBStreamEvent>): Promise<void> {
  if (records === undefined) {
    const now = clock();
    const isWhole = now >= nextWholeReview;
    // A failure of one review does not prevent the others.
    const outcomes = await Promise.allSettled([
      reviewExpired(context),
      ...(isWhole ? [reviewAll(context), reviewSenders(context, existing)] : []),
    ]);
    const [expired, ofLimits, ofSenders] = outcomes;
    log.info('edited rows reviewed', { expired, limits: ofLimits, senders: ofSenders });
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    if (isWhole) nextWholeReview = addSeconds(now, wholeReviewSeconds);
    return;
  }
  // All records of a batch come from one stream, whose ARN contains the name of its table.
  const ofSenders = records[0]?.eventSourceARN?.includes(`:table/${env.SENDERS_TABLE}/`) === true;
  const table = ofSenders ? senderTable : overrideTable;
  const changes = readRowChanges(records, table);
  await recordRowChanges(context, changes, table);
  if (changes.length === 0) return;
  const reviewed = ofSenders
    ? await reviewSenders(context, existing)
    : await reviewClients(context, new Set(changes.map(({ clientId }) => clientId)));
  log.info('edited rows changed', { records: records.length, changes: changes.length, ...reviewed });
}
