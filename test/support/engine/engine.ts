/** The DynamoDB under the tables of this run: the emulator, or Amazon's own DynamoDB Local. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, type DynamoDBClientConfig, InternalServerError } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../../shared/platform/aws/clients.ts';

interface Engine {
  readonly config: DynamoDBClientConfig;
  /** True if each access key has its own database. */
  readonly isDividedByKey: boolean;
}

/** The engine on which tests create their tables; called by whatever starts one for a run. */
export function announceEngine(config: DynamoDBClientConfig, { isDividedByKey = false } = {}): void {
  process.env.ENGINE_UNDER_TEST = JSON.stringify({ config, isDividedByKey } satisfies Engine);
}

/** The credentials of this test file. Jest loads this module for each file. */
const ownCredentials = { accessKeyId: randomBytes(8).toString('hex'), secretAccessKey: 'test' };

export function engineConfig(): DynamoDBClientConfig {
  const text = process.env.ENGINE_UNDER_TEST;
  if (text === undefined) throw new Error('no engine runs: does this test import support/tables.ts?');
  const { config, isDividedByKey } = JSON.parse(text) as Engine;
  return isDividedByKey ? { ...config, credentials: ownCredentials } : config;
}

/** A new client, which the caller closes. */
export function engineClient(): DynamoDBDocumentClient {
  return documentClient(repeatingLocked(new DynamoDBClient(engineConfig())));
}

/**
 * On a busy machine DynamoDB Local refuses a write that waits too long for the lock of its table, and says that DynamoDB
 * itself would take it. The SDK would stop repeating when many are refused at once, as its retries have a quota.
 */
export function repeatingLocked<Client extends DynamoDBClient>(client: Client): Client {
  client.middlewareStack.add(
    (next) => async (args) => {
      for (let repeats = 0; ; repeats += 1) {
        try {
          return await next(args);
        } catch (error) {
          if (!(error instanceof InternalServerError && /waiting for a lock/.test(error.message)))
            throw error;
          if (repeats === 50) throw error;
          await sleep(Math.random() * 500);
        }
      }
    },
    { step: 'initialize', name: 'repeatLocked', priority: 'low' },
  );
  return client;
}
