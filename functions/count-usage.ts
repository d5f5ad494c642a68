/** Reads the messages table's stream and counts each change in the usage of its client. A batch may be repeated, whole or in part. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { changeRecords } from '../shared/usage/change-records.dynamo.ts';
import { type CountDependencies, countChanges } from '../shared/usage/count-changes.ts';
import { dynamoUsageCounter } from '../shared/usage/usage-counter.dynamo.ts';

const env = readEnvironment(['MESSAGE_USAGE_TABLE', 'COUNTED_CHANGES_TABLE']);
const tables = { usage: env.MESSAGE_USAGE_TABLE, countedChanges: env.COUNTED_CHANGES_TABLE };
const dependencies: CountDependencies = {
  counter: dynamoUsageCounter(dynamo(), tables, systemClock),
  sleep,
  random: Math.random,
};

export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const counted = await countChanges(dependencies, changeRecords(event.Records));
  log.info('usage counted', { records: event.Records.length, ...counted });
}
