/**
 * Reads two streams: each change of a message is counted in the usage of its client, and each one-time password and its
 * verification in the traffic that decides about holds. A batch has records of one stream, and may be repeated, as a
 * whole or in part.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { dynamoActivityLog } from '../shared/activity/activity-log.dynamo.ts';
import { dynamoOtpHolds } from '../shared/otp/otp-holds.dynamo.ts';
import {
  countOtps,
  dynamoOtpCounter,
  dynamoOtpTrafficReader,
  otpRecords,
} from '../shared/otp/otp-traffic.dynamo.ts';
import { reviewTraffic, type TrafficReviewDependencies } from '../shared/otp/review-traffic.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { countMetric, log } from '../shared/platform/log.ts';
import { countChanges } from '../shared/usage/count-changes.ts';
import { changeRecords, dynamoUsageCounter } from '../shared/usage/usage-counter.dynamo.ts';

const env = environmentOf<'count-usage'>();
const { COUNTED_CHANGES_TABLE: countedChanges } = env;
const retries = { sleep, random: Math.random };
const usage = dynamoUsageCounter(dynamo(), { usage: env.MESSAGE_USAGE_TABLE, countedChanges }, systemClock);
const otps = dynamoOtpCounter(dynamo(), { traffic: env.OTP_TRAFFIC_TABLE, countedChanges }, systemClock);
const review: TrafficReviewDependencies = {
  traffic: dynamoOtpTrafficReader(dynamo(), env.OTP_TRAFFIC_TABLE),
  holds: dynamoOtpHolds(dynamo(), env.OTP_HOLDS_TABLE),
  activityLog: dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS),
  rule: env.OTP_HOLD,
  clock: systemClock,
  countMetric,
};

export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const records = event.Records.length;
  // Rows of one-time passwords have this key.
  if (event.Records.some(({ dynamodb }) => dynamodb?.Keys?.otp_id !== undefined)) {
    const changes = otpRecords(event.Records);
    const counted = await countOtps({ counter: otps, ...retries }, changes);
    const held = await reviewTraffic(review, changes);
    log.info('one-time passwords counted', {
      records,
      ...counted,
      held: held.map(({ client_id, country }) => `${client_id} ${country}`),
    });
    return;
  }
  const counted = await countChanges({ counter: usage, ...retries }, changeRecords(event.Records));
  log.info('usage counted', { records, ...counted });
}
