/** The Activity Log and the dead-letter queue for refused work, from the environment of the function. */
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import type { Environment } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { sqsDeadLetters } from './dead-letters.sqs.ts';
import { type SetAside, setAsideTo } from './set-aside.ts';

export const setAsideEnvironment = [
  'ACTIVITY_LOG_TABLE',
  'RELAY_DEAD_LETTER_QUEUE_URL',
  'RETENTION_DAYS',
] as const;

export function setAsideFrom(
  env: Environment<(typeof setAsideEnvironment)[number]>,
  sqs: Parameters<typeof sqsDeadLetters>[0],
): SetAside {
  return setAsideTo({
    activityLog: dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS),
    keepCopy: sqsDeadLetters(sqs, env.RELAY_DEAD_LETTER_QUEUE_URL),
    reportRefused(fields) {
      log.error('refused for good and set aside', fields);
      countMetric('RefusedEntry');
    },
  });
}
