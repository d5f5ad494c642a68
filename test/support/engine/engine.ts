/** The DynamoDB under the tables of this run: the emulator, or Amazon's own DynamoDB Local. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../../shared/platform/aws/clients.ts';

/** The engine on which tests create their tables; called by whatever starts one for a run. */
export function announceEngine(config: DynamoDBClientConfig): void {
  process.env.ENGINE_UNDER_TEST = JSON.stringify(config);
}

export function engineConfig(): DynamoDBClientConfig {
  const text = process.env.ENGINE_UNDER_TEST;
  if (text === undefined) throw new Error('no engine runs: does this test import support/tables.ts?');
  return JSON.parse(text) as DynamoDBClientConfig;
}

/** A new client, which the caller closes. */
export function engineClient(): DynamoDBDocumentClient {
  return documentClient(new DynamoDBClient(engineConfig()));
}
