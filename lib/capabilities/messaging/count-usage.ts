/**
 * The function that counts messages and their cost for usage, and one-time passwords, whose share of verified ones may hold
 * a country. The alarm for the cost of a day is in `dispatch-message.ts`: it reads the log lines of hand-overs.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Storage } from '../storage/storage.ts';

/** A batch of a quiet night has a transaction for each of its minutes. */
const countTimeoutSeconds = 120;

/** Reads the stream of messages beside the relay: a stream can have two readers. */
export function createCountUsage(scope: Construct, stage: StageSettings, storage: Storage): void {
  const count = new GatewayFunction(scope, 'CountUsage', {
    stage,
    functionName: 'count-usage',
    timeoutSeconds: countTimeoutSeconds,
    settings: ['OTP_HOLD'],
  });
  storage.grant(count, 'message-usage', 'UpdateItem');
  storage.grant(count, 'counted-changes', 'Query', 'PutItem');
  const messageStream = new EventSourceMapping(scope, 'UsageStream', {
    ...storage.grantStream(count, 'messages'),
    // A batch takes as many writes as it has clients, so large batches are cheap, and usage is a minute behind.
    batchSize: 1000,
    maxBatchingWindow: Duration.minutes(1),
    // Nothing is counted of a deletion.
    filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
  });
  const otpStream = createOtpStream(scope, stage, storage, count);
  for (const stream of [messageStream, otpStream]) {
    acknowledge(stream, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A batch is retried as long as the stream keeps it: one that was skipped would be missing from usage.',
    });
  }
}

/** The same function counts one-time passwords and their verifications, and holds those of a client to a country. */
function createOtpStream(
  scope: Construct,
  stage: StageSettings,
  storage: Storage,
  count: GatewayFunction,
): EventSourceMapping {
  storage.grant(count, 'otp-traffic', 'UpdateItem', 'Query');
  storage.grant(count, 'otp-holds', 'GetItem', 'PutItem');
  storage.grant(count, 'activity-log', 'PutItem');
  createAlarm(scope, 'OtpHeld', {
    stage,
    metric: countedMetric(stage, 'OtpHeld'),
    meaning: 'Few one-time passwords of a client to a country were verified; further ones are held.',
    runbook: 'otp-held',
  });
  const password = (status: string) => ({ status: { S: FilterRule.isEqual(status) } });
  return new EventSourceMapping(scope, 'OtpStream', {
    ...storage.grantStream(count, 'one-time-passwords'),
    // A batch takes a few writes for each client and country in it. An attack is noticed this much later.
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(20),
    // New passwords and verified ones, not the attempts between them.
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('INSERT'),
        dynamodb: { NewImage: password('pending') },
      }),
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('MODIFY'),
        dynamodb: { NewImage: password('verified') },
      }),
    ],
  });
}
