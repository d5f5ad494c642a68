/**
 * The function that counts messages and their cost for usage. It also counts one-time passwords and holds a country if too few
 * are verified.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Storage } from '../storage/storage.ts';

/**
 * The last call of a window may wait for another worker's addition. If that worker has died, the call makes the addition
 * itself.
 */
const countTimeoutSeconds = 120;
/** The maximum delay of usage when few messages are sent. */
const window = Duration.minutes(1);

/** Reads the stream of messages. The relay reads the same stream, which can have at most two readers. */
export function createCountUsage(scope: Construct, stage: StageSettings, storage: Storage): void {
  const count = new GatewayFunction(scope, 'CountUsage', {
    stage,
    functionName: 'count-usage',
    timeoutSeconds: countTimeoutSeconds,
  });
  const messageStream = new EventSourceMapping(scope, 'UsageStream', {
    ...storage.grantStream(count, 'messages'),
    // A batch of any size costs a few writes, so large batches are cheap.
    batchSize: 1000,
    maxBatchingWindow: window,
    // Only with a tumbling window does Lambda pass the shard of a batch, and call the function at the window's end.
    tumblingWindow: window,
    // Deletions do not change the counts.
    filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
  });
  const otpStream = createOtpStream(scope, storage, count);
  for (const stream of [messageStream, otpStream]) {
    acknowledge(stream, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A batch is retried as long as the stream keeps it: a skipped batch would be missing from usage.',
    });
  }
}

/** Lets the same function count one-time passwords and verifications, and hold a client's passwords to a country. */
function createOtpStream(scope: Construct, storage: Storage, count: GatewayFunction): EventSourceMapping {
  return new EventSourceMapping(scope, 'OtpStream', {
    ...storage.grantStream(count, 'one-time-passwords'),
    // A batch costs a few writes for each client and country. Its batching window delays the detection of an attack.
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(20),
    tumblingWindow: window,
    // Selects rows of passwords, including attempts, because the filter cannot distinguish an attempt from another SMS.
    filters: [
      FilterCriteria.filter({
        dynamodb: { NewImage: { status: { S: FilterRule.or('pending', 'verified') } } },
      }),
    ],
  });
}
