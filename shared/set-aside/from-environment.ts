/** Where this deployment keeps what services refused, as a function's environment names it. */
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { readEnvironment } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { sqsDeadLetters } from './dead-letters.sqs.ts';
import { type SetAside, setAsideTo } from './set-aside.ts';

export function setAsideFromEnvironment(sqs: Parameters<typeof sqsDeadLetters>[0]): SetAside {
  const env = readEnvironment(['ACTIVITY_LOG_TABLE', 'RELAY_DEAD_LETTER_QUEUE_URL', 'RETENTION_DAYS']);
  return setAsideTo({
    activityLog: dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS),
    keepCopy: sqsDeadLetters(sqs, env.RELAY_DEAD_LETTER_QUEUE_URL),
    reportFailedDelivery(fields) {
      log.error('refused for good and set aside', fields);
      countMetric('RefusedEntry');
    },
  });
}
