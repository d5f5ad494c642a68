/** The webhook engine's tables, queues and schedule group on an emulator of its own, on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateScheduleGroupCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDeliveryStore } from '../../shared/webhook/delivery-store.dynamo.ts';
import type { DeliveryStore } from '../../shared/webhook/delivery-store.ts';

export interface WebhookTables {
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly scheduler: SchedulerClient;
  newStore(): DeliveryStore;
  newQueue(name: string): Promise<{ url: string; arn: string }>;
  stop(): Promise<void>;
}

export const tableNames = {
  deliveries: 'webhook-deliveries',
  activityLog: 'activity-log',
  clientSecrets: 'client-secrets',
  scheduleGroup: 'webhooks',
};

export async function webhookTables(): Promise<WebhookTables> {
  const port = await freePort();
  const emulator = spawn(process.env.MINISTACK ?? '.local/venv/bin/ministack', [], {
    env: {
      ...process.env,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      AUTH: 'true',
      IOT_MTLS_ENABLED: '0',
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    },
    stdio: 'ignore',
  });
  const config = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const client = new DynamoDBClient(config);
  const sqs = new SQSClient(config);
  const scheduler = new SchedulerClient(config);
  await untilReady(config.endpoint);
  await createTables(client);
  await scheduler.send(new CreateScheduleGroupCommand({ Name: tableNames.scheduleGroup }));
  const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return {
    dynamo,
    sqs,
    scheduler,
    newStore: () => dynamoDeliveryStore(dynamo, tableNames.deliveries),
    async newQueue(name) {
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
      );
      return { url: QueueUrl, arn: Attributes?.QueueArn ?? '' };
    },
    async stop() {
      for (const each of [client, sqs, scheduler]) each.destroy();
      await ended(emulator);
    },
  };
}

async function createTables(client: DynamoDBClient): Promise<void> {
  const text = (name: string) => ({ AttributeName: name, AttributeType: 'S' as const });
  const key = (name: string, type: 'HASH' | 'RANGE' = 'HASH') => ({ AttributeName: name, KeyType: type });
  await client.send(
    new CreateTableCommand({
      TableName: tableNames.deliveries,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [text('delivery_id'), text('due_shard'), text('due_at')],
      KeySchema: [key('delivery_id')],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-due',
          KeySchema: [key('due_shard'), key('due_at', 'RANGE')],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: tableNames.activityLog,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [text('day'), text('entry_id')],
      KeySchema: [key('day'), key('entry_id', 'RANGE')],
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: tableNames.clientSecrets,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [text('client_id')],
      KeySchema: [key('client_id')],
    }),
  );
}

async function untilReady(endpoint: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer !== undefined) return;
    await sleep(100);
  }
  throw new Error('the emulator did not start; is it installed, and MINISTACK set to it?');
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
