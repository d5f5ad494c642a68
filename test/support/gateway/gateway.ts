/** How a test reaches the gateway that is deployed for this run, and the engine underneath. */
import { setTimeout as pause } from 'node:timers/promises';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../../lib/local/connection.ts';
import { documentClient as documentsOf } from '../../../shared/platform/aws/clients.ts';
import { type TestContext, testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';

interface GatewayUnderTest extends Connection {
  /** The leader of the process group in which the functions run. */
  readonly emulator_pid: number;
  /** Webhook retries wait so many times shorter than they promise. */
  readonly time_scale: number;
}

/** The gateway of this run: its address, credentials, tables and queues (contract, section 9). */
export function gateway(): GatewayUnderTest {
  const text = process.env.GATEWAY_UNDER_TEST;
  if (text === undefined)
    throw new Error('no gateway runs: is this test in test/engine, test/e2e or test/browser?');
  return JSON.parse(text) as GatewayUnderTest;
}

/** For any client of the AWS SDK. */
export function clientConfig() {
  const { aws } = gateway();
  return {
    endpoint: aws.endpoint,
    region: aws.region,
    credentials: { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key },
  };
}

export function documentClient(): DynamoDBDocumentClient {
  return documentsOf(new DynamoDBClient(clientConfig()));
}

/** The context of the gateway's code on the tables under test. */
export function gatewayContext(): TestContext {
  const names = gateway().tables as TestTables['names'];
  return testContext({ dynamo: documentClient(), names });
}

export function sqsClient(): SQSClient {
  return new SQSClient(clientConfig());
}

export function schedulerClient(): SchedulerClient {
  return new SchedulerClient(clientConfig());
}

export function kmsClient(): KMSClient {
  return new KMSClient(clientConfig());
}

export function logsClient(): CloudWatchLogsClient {
  return new CloudWatchLogsClient(clientConfig());
}

/** For whatever should have happened by now: so long that no slow machine needs it. Jest's own limit is longer. */
export const waitMaxSeconds = 240;

/** A wait of seconds needs no look every 100 ms: each one can be a request with all that a function does for it. */
const lookPauseMaxMs = 1000;
const lookPauseShare = 1 / 8;

/**
 * What `look` finds, soon after there is something; the longer the wait has been, the rarer the looks.
 *
 * @param options.withinSeconds - only where a time is promised: a look that begins later must find it, however slow
 * the machine is
 * @throws Error when a look that began after that time found nothing.
 */
export async function eventually<Found>(
  look: () => Promise<Found | undefined>,
  { withinSeconds = waitMaxSeconds, everyMilliseconds = 100 } = {},
): Promise<Found> {
  const start = Date.now();
  for (;;) {
    const isLast = Date.now() > start + withinSeconds * 1000;
    const found = await look();
    if (found !== undefined) return found;
    if (isLast) throw new Error(`not seen within ${withinSeconds} s`);
    const longer = Math.min(lookPauseMaxMs, (Date.now() - start) * lookPauseShare);
    await pause(Math.max(everyMilliseconds, longer));
  }
}
