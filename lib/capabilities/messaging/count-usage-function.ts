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
 * The last call of a window may wait for an addition by another worker. If that worker died, the call makes the addition
 * itself.
 */
const countTimeoutSeconds = 120;
/** The maximum delay of usage while few messages are sent. */
const window = Duration.minutes(1);

/** Reads the stream of messages. The relay reads the same stream, and a stream has at most two readers. */
export function createCountUsage(scope: Construct, stage: StageSettings, storage: Storage): void {
  const count = new GatewayFunction(scope, 'CountUsage', {
    stage,
    functionName: 'count-usage',
    timeoutSeconds: countTimeoutSeconds,
  });
  const messageStream = new EventSourceMapping(scope, 'UsageStream', {
    ...storage.grantStream(count, 'messages'),
    // A batch costs a few writes, whatever its size, so large batches are cheap.
    batchSize: 1000,
    maxBatchingWindow: window,
    // Lambda passes the shard of a batch, and calls the function at the end of the window, only with a tumbling window.
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

/** Lets the same function count one-time passwords and verifications, and hold the passwords of a client to a country. */
function createOtpStream(scope: Construct, storage: Storage, count: GatewayFunction): EventSourceMapping {
  return new EventSourceMapping(scope, 'OtpStream', {
    ...storage.grantStream(count, 'one-time-passwords'),
    // A batch costs a few writes for each client and country. The batching window delays the detection of an attack.
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(20),
    tumblingWindow: window,
    // Selects rows of passwords. The filter also passes attempts, because it cannot distinguish an attempt from another
    // SMS.
    filters: [
      FilterCriteria.filter({
        dynamodb: { NewImage: { status: { S: FilterRule.or('pending', 'verified') } } },
      }),
    ],
  });
}
