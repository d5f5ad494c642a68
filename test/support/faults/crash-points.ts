/** Runs one message from its send to the last acknowledged webhook, with one process killed or none. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  type Message as QueueMessage,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { accountUrls } from '../../../shared/account/account-url.ts';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import { dynamoActivityReader } from '../../../shared/activity/activity-reader.dynamo.ts';
import { dynamoOutbox } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { sqsReceiptSender } from '../../../shared/carrier/simulator/receipt-sender.sqs.ts';
import { simulator } from '../../../shared/carrier/simulator/simulator.ts';
import { dynamoClientAdmin } from '../../../shared/client/client-admin.dynamo.ts';
import { createClient } from '../../../shared/client/client-admin.ts';
import { dynamoClientStore } from '../../../shared/client/client-store.dynamo.ts';
import { dynamoWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { dynamoDueItemIndex } from '../../../shared/due-items/due-item-index.dynamo.ts';
import { dynamoSenderPaceStore } from '../../../shared/message/pace/sender-pace-store.dynamo.ts';
import { dynamoConversations } from '../../../shared/message/receive/conversations.dynamo.ts';
import { dynamoWhatsAppWindows } from '../../../shared/message/receive/whatsapp-window.dynamo.ts';
import { newSms, sendSmsSchema } from '../../../shared/message/send/send-sms.ts';
import { dynamoMessageList } from '../../../shared/message/store/message-list.dynamo.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import { dynamoSuppressionStore } from '../../../shared/message/suppression/suppression-store.dynamo.ts';
import { changeVisibilityOn } from '../../../shared/platform/aws/change-visibility.sqs.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { derivedId, newId } from '../../../shared/platform/ids.ts';
import { ack, type HandlerResult, processRecords } from '../../../shared/platform/process-queue-batch.ts';
import { dynamoEndpointHealthStore } from '../../../shared/webhook/endpoint-health/endpoint-health.dynamo.ts';
import {
  dynamoEndpointReader,
  dynamoEndpointResults,
} from '../../../shared/webhook/endpoints/endpoint-store.dynamo.ts';
import { httpPost } from '../../../shared/webhook/post/http-post.ts';
import { machineResolve } from '../../../shared/webhook/post/resolve-host.ts';
import { dynamoResendStore } from '../../../shared/webhook/resend/resend-store.dynamo.ts';
import { dynamoDeliveryStore } from '../../../shared/webhook/store/delivery-store.dynamo.ts';
import { memoryOtpStore } from '../doubles/memory-otp-store.ts';
import { neverSetAside } from '../doubles/never-set-aside.ts';
import { allowanceOf } from '../doubles/no-caps.ts';
import { selectNone } from '../doubles/no-senders.ts';
import { createTables, type TestTables } from '../engine/tables.ts';
import { sqsClient } from '../gateway/gateway.ts';
import { type GatewayFunctions, gatewayFunctions, retentionDays } from '../simulation/gateway-functions.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../webhook/webhook-endpoint.ts';
import { type KillPoint, livesUntil, type Process } from './crash-simulation.ts';

/** Longer than a claim of either kind: by then a queue delivers the messages of a dead process again. */
const redeliveryMs = 31_000;
const roundsMax = 60;
const schema = sendSmsSchema(z.string());
const post = httpPost({
  rules: { allowLoopback: true, allowHttp: true, ports: 'any' },
  resolve: machineResolve,
});

const queueNames = ['outbound', 'receipts', 'webhooks'] as const;
type QueueName = (typeof queueNames)[number];

export interface Ground {
  readonly tables: TestTables;
  readonly queues: Readonly<Record<QueueName, string>>;
  readonly webhookEndpoint: WebhookEndpoint;
  readonly clientId: string;
  close(): Promise<void>;
}

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

  const processes = new Map<string, Started>();
  /** As Lambda does it: in a process that is kept, or in a new one after a death. */
  async function invoke<T>(name: string, work: (started: Started) => Promise<T>): Promise<T | 'killed'> {
    const started = processes.get(name) ?? startedFrom(ground, clock, lives.newProcess());
    processes.set(name, started);
    const result = await started.process.run(() => work(started));
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
    const result = await invoke(name, ({ process, functions }) =>
      processRecords(
        eventOf(Messages),
        ({ body }) => consumers[name](functions, body),
        changeVisibilityOn(process.sqs, QueueUrl),
      ),
    );
    const failed = result === 'killed' ? undefined : result.batchItemFailures;
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
      newSms(
        { messageId, clientId, select: selectNone },
        schema.parse({ to: recipient, message: 'Hello' }),
        clock(),
      ),
    ),
  );

  let rounds = 0;
  for (let idle = false; !idle && rounds < roundsMax; rounds += 1) {
    const seen = lives.stream.length;
    idle = seen === 0;
    const relayed = idle || (await invoke('relay', ({ functions }) => functions.relay([...lives.stream])));
    if (relayed !== 'killed') lives.stream.splice(0, seen);
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

/** What each queue's function does with a message. */
const consumers: Readonly<
  Record<QueueName, (functions: GatewayFunctions, body: string) => Promise<HandlerResult>>
> = {
  outbound: (functions, body) => functions.dispatch(body),
  receipts: (functions, body) => functions.recordReceipts(body, 1),
  async webhooks(functions, body) {
    await functions.deliver('fast', body);
    return ack;
  },
};

interface Started {
  readonly process: Process;
  readonly functions: GatewayFunctions;
}

/** The functions on real tables and queues, whose every call is the process's. */
function startedFrom({ tables: { names }, queues }: Ground, clock: Clock, process: Process): Started {
  const { dynamo, sqs, post } = process;
  const otpSecrets = async (): Promise<never> => {
    throw new Error('this walk has no one-time password');
  };
  const notCounted = async (): Promise<never> => {
    throw new Error('this walk counts no usage');
  };
  const messages = dynamoMessageStore(dynamo, { tableName: names.messages, retentionDays });
  const functions = gatewayFunctions({
    messages,
    suppressions: dynamoSuppressionStore(dynamo, names.suppressions),
    windows: dynamoWhatsAppWindows(dynamo, names.whatsapp_windows),
    conversations: dynamoConversations(dynamo, names.messages, messages),
    ownerOfNumber: async () => undefined,
    allowanceOf,
    otps: memoryOtpStore(),
    deliveries: dynamoDeliveryStore(dynamo, names.webhook_deliveries),
    dueItemIndex: dynamoDueItemIndex(dynamo, names.due_items),
    endpointHealth: dynamoEndpointHealthStore(dynamo, names.webhook_deliveries),
    activityLog: dynamoActivityLog(dynamo, names.activity_log, retentionDays),
    usage: { counted: notCounted, count: notCounted },
    activity: dynamoActivityReader(dynamo, names.activity_log),
    resends: dynamoResendStore(dynamo, names.webhook_deliveries),
    list: dynamoMessageList(dynamo, names.messages),
    webhookSecrets: dynamoWebhookSecrets(dynamo, names.client_secrets),
    otpSecrets: { all: otpSecrets, latest: otpSecrets, current: otpSecrets },
    endpoints: {
      ...dynamoEndpointReader(dynamo, names.webhook_endpoints),
      ...dynamoEndpointResults(dynamo, names.webhook_endpoints),
    },
    accountUrlOf: accountUrls(dynamoClientStore(dynamo, names.clients)),
    senderPaces: dynamoSenderPaceStore(dynamo, names.sender_pace),
    sqs,
    queueUrls: {
      otp: queues.outbound,
      single: queues.outbound,
      bulk: queues.outbound,
      fast: queues.webhooks,
      slow: queues.webhooks,
    },
    async schedule() {
      throw new Error('nothing of this walk is far enough ahead for a schedule');
    },
    scheduleLeadSeconds: 12,
    carrier: simulator({
      outbox: dynamoOutbox(dynamo, names.simulator_outbox, retentionDays),
      sendReceipts: sqsReceiptSender(sqs, queues.receipts),
      prices: { currency: 'USD', sms: { default: 0.0042 }, whatsapp: { default: 0.005 } },
      clock,
      newCarrierMessageId: randomUUID,
    }),
    post,
    timeScale: 1,
    setAside: neverSetAside,
    async setUnreadableAside(records) {
      if (records.length > 0) throw new Error('a change of this walk cannot be read');
    },
    reportFailedDelivery: () => undefined,
    clock,
    sleep: async (ms) => void (await sleep(ms, undefined, { ref: false })),
    random: Math.random,
    newId: () => randomUUID(),
  });
  return { process, functions };
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
