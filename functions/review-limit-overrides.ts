/**
 * Reads the stream of the limit-overrides table: each change of a row is written to the activity log, and its feedback
 * into the row. Every minute it reviews all rows, because rows expire. A batch succeeds or fails as a whole: repeating
 * it is safe, because entries have the ids of their records, and right feedback is not written again.
 */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { dynamoActivityLog } from '../shared/activity/activity-log.dynamo.ts';
import { capDefaults } from '../shared/cap/cap-limits.ts';
import { dynamoExistingClients } from '../shared/client/existing-clients.dynamo.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { dynamoFeedbackStore } from '../shared/rate-limit/feedback/feedback-store.dynamo.ts';
import { recordRowChanges } from '../shared/rate-limit/feedback/record-row-changes.ts';
import { reviewAll, reviewClients } from '../shared/rate-limit/feedback/review-rows.ts';
import { readRowChanges } from '../shared/rate-limit/feedback/row-changes.dynamo.ts';

const env = readEnvironment([
  'LIMIT_OVERRIDES_TABLE',
  'CLIENTS_TABLE',
  'ACTIVITY_LOG_TABLE',
  'RETENTION_DAYS',
  'STAGE_CAPS',
  'CURRENCY',
]);
const activity = dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS);
const dependencies = {
  store: dynamoFeedbackStore(dynamo(), env.LIMIT_OVERRIDES_TABLE),
  existingClients: dynamoExistingClients(dynamo(), env.CLIENTS_TABLE),
  capDefaults: capDefaults(env.STAGE_CAPS),
  currency: env.CURRENCY,
  clock: systemClock,
};

/** Called with records of the stream, and by the schedule without any. */
export async function handler({ Records: records }: Partial<DynamoDBStreamEvent>): Promise<void> {
  if (records === undefined) {
    log.info('limit overrides reviewed', { ...(await reviewAll(dependencies)) });
    return;
  }
  const changes = readRowChanges(records);
  await recordRowChanges(activity, changes);
  const reviewed = await reviewClients(dependencies, new Set(changes.map(({ clientId }) => clientId)));
  log.info('limit overrides changed', { records: records.length, changes: changes.length, ...reviewed });
}
