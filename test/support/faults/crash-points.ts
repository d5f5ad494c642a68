/** Runs one message from its send to the last acknowledged webhook, with one process killed or none. */
import { randomBytes } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  type Message as QueueMessage,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { dynamoClientAdmin } from '../../../shared/client/client-admin.dynamo.ts';
import { createClient } from '../../../shared/client/client-admin.ts';
import { newSms, sendSmsSchema } from '../../../shared/message/send/send-sms.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import { derivedId, newId } from '../../../shared/platform/ids.ts';
import { httpPost } from '../../../shared/webhook/post/post-webhook.ts';
import { machineResolve } from '../../../shared/webhook/post/resolve-host.ts';
import { createTables } from '../engine/tables.ts';
import { sqsClient } from '../gateway/gateway.ts';
import {
  crashableFunctions,
  type Ground,
  type QueueName,
  queueNames,
  retentionDays,
} from '../message/crash-functions.ts';
import { startWebhookEndpoint } from '../webhook/webhook-endpoint.ts';
import { type KillPoint, livesUntil, type Process } from './crash-simulation.ts';

/** Longer than a claim of either kind holds: by then a queue shows again what a dead process took. */
const redeliveryMs = 31_000;
const roundsMax = 60;
const schema = sendSmsSchema(z.string());
const post = httpPost({
  rules: { allowLoopback: true, allowHttp: true, ports: 'any' },
  resolve: machineResolve,
});

export async function createGround(): Promise<Ground> {
  const [tables, webhookEndpoint] = await Promise.all([createTables(), startWebhookEndpoint()]);
  const sqs = sqsClient();
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const created = await Promise.all(
    queueNames.map(async (name) => {
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `${prefix}-${name}` }));
      return [name, QueueUrl] as const;
    }),
  );
  const admin = dynamoClientAdmin(tables.dynamo, tables.names);
  const wanted = { name: 'Test', scopes: ['messages'] as const, webhookUrl: webhookEndpoint.url };
  const { client } = await createClient(admin, wanted, new Date());
  return {
    tables,
    queues: Object.fromEntries(created) as Ground['queues'],
    webhookEndpoint,
    clientId: client.client_id,
    async close() {
      await webhookEndpoint.close();
      await Promise.all(created.map(([, QueueUrl]) => sqs.send(new DeleteQueueCommand({ QueueUrl }))));
      sqs.destroy();
      await tables.drop();
    },
  };
}

export interface Walk {
  readonly calls: readonly string[];
  /** Undefined where every process lived. */
  readonly killedIn: string | undefined;
  readonly status: string | undefined;
  /** How often the carrier took the message. */
  readonly handOvers: number;
  /** The events that the endpoint received, with every repetition. */
  readonly events: readonly string[];
  /** The events whose POST was begun, and its outcome not recorded, when the process died. */
  readonly unknownEvents: readonly string[];
}

export async function walk(ground: Ground, kill?: KillPoint): Promise<Walk> {
  const { tables, queues, webhookEndpoint, clientId } = ground;
  const { names } = tables;
  const sqs = sqsClient();
  let aheadMs = 0;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  const lives = livesUntil(kill, names.messages, post);
  const messagesOf = (dynamo: DynamoDBDocumentClient) =>
    dynamoMessageStore(dynamo, { tableName: names.messages, retentionDays });

  const functions = crashableFunctions(ground, clock, lives.stream);
  const processes = new Map<string, Process>();
  /** As Lambda does it: in a process that is kept, or in a new one after a death. */
  async function invoke(name: keyof typeof functions, event: SQSEvent): Promise<unknown> {
    const process = processes.get(name) ?? lives.newProcess();
    processes.set(name, process);
    const result = await process.run(() => functions[name](process)(event));
    if (result === 'killed') {
      processes.delete(name);
      aheadMs += redeliveryMs;
    }
    return result;
  }

  async function feed(name: QueueName): Promise<boolean> {
    const QueueUrl = queues[name];
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
    );
    if (Messages.length === 0) return false;
    const result = await invoke(name, eventOf(Messages));
    const failed = result === 'killed' ? undefined : (result as SQSBatchResponse).batchItemFailures;
    for (const { MessageId, ReceiptHandle } of Messages) {
      const handled = failed?.every(({ itemIdentifier }) => itemIdentifier !== MessageId) ?? false;
      if (handled) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      } else {
        aheadMs += redeliveryMs;
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
      }
    }
    return true;
  }

  const messageId = newId('msg', clock());
  const recipient = `+4477009${messageId.slice(-5).replaceAll(/\D/g, '0')}`;
  // The send itself is no part of this: it is done by a process that nobody kills, and by one write.
  await lives.store(messageId, (dynamo) =>
    messagesOf(dynamo).create(
      newSms(messageId, clientId, schema.parse({ to: recipient, message: 'Hello' }), clock()),
    ),
  );

  let rounds = 0;
  for (let idle = false; !idle && rounds < roundsMax; rounds += 1) {
    const seen = lives.stream.length;
    idle = seen === 0;
    if (!idle && (await invoke('relay', { Records: [] })) !== 'killed') lives.stream.splice(0, seen);
    for (const name of queueNames) if (await feed(name)) idle = false;
  }

  const message = await messagesOf(tables.dynamo).get(messageId);
  const { Items = [] } = await tables.dynamo.send(
    new QueryCommand({
      TableName: names.simulator_outbox,
      KeyConditionExpression: 'recipient = :recipient',
      ExpressionAttributeValues: { ':recipient': recipient },
    }),
  );
  lives.close();
  sqs.destroy();
  return {
    calls: lives.calls,
    killedIn: lives.killedIn,
    status: message?.status,
    handOvers: Items.filter((row) => row.message_id === messageId).length,
    events: webhookEndpoint.eventsOf(messageId),
    unknownEvents: ['sms.sent', 'sms.delivered'].filter((event) =>
      lives.unknownPosts.has(derivedId('whd', messageId, event)),
    ),
  };
}

function eventOf(messages: readonly QueueMessage[]): SQSEvent {
  const Records = messages.map(({ MessageId, ReceiptHandle, Body }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ApproximateReceiveCount: '1' },
  }));
  return { Records } as unknown as SQSEvent;
}
