/**
 * The function that counts messages and their cost for usage, and one-time passwords, whose share of verified ones may hold
 * a country.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Storage } from '../storage/storage.ts';

/** The last call of a window may wait for the addition of another worker, and carries it out if that worker died. */
const countTimeoutSeconds = 120;
/** Usage is so much behind while few messages are sent. */
const window = Duration.minutes(1);

/** Reads the stream of messages, which the relay reads too: a stream can have two readers. */
export function createCountUsage(scope: Construct, stage: StageSettings, storage: Storage): void {
  const count = new GatewayFunction(scope, 'CountUsage', {
    stage,
    functionName: 'count-usage',
    timeoutSeconds: countTimeoutSeconds,
  });
  const messageStream = new EventSourceMapping(scope, 'UsageStream', {
    ...storage.grantStream(count, 'messages'),
    // A batch takes a few writes, whatever is in it, so large batches are cheap.
    batchSize: 1000,
    maxBatchingWindow: window,
    // Only in a tumbling window Lambda tells the function the shard of a batch, and makes a last call when the window ends.
    tumblingWindow: window,
    // Deletions do not change the counts.
    filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
  });
  const otpStream = createOtpStream(scope, storage, count);
  for (const stream of [messageStream, otpStream]) {
    acknowledge(stream, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A batch is retried as long as the stream keeps it: one that was skipped would be missing from usage.',
    });
  }
}

/** The same function counts one-time passwords and their verifications, and holds those of a client to a country. */
function createOtpStream(scope: Construct, storage: Storage, count: GatewayFunction): EventSourceMapping {
  return new EventSourceMapping(scope, 'OtpStream', {
    ...storage.grantStream(count, 'one-time-passwords'),
    // A batch takes a few writes for each client and country in it. The batching window delays the detection of an attack.
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(20),
    tumblingWindow: window,
    // The filter selects rows of passwords. It cannot tell an attempt from a further SMS, so attempts pass too.
    filters: [
      FilterCriteria.filter({
        dynamodb: { NewImage: { status: { S: FilterRule.or('pending', 'verified') } } },
      }),
    ],
  });
}
