/**
 * The workers of webhooks on tables in memory, in virtual time: each queue has as many workers as the options say, each
 * with a batch of up to ten messages, and what is due is queued each minute. A test breaks calls of DynamoDB by `around`, and the
 * rest by the options.
 */
import type { CreateScheduleCommand } from '@aws-sdk/client-scheduler';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { replaceWebhookSecrets, type WebhookSecret } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { aheadSeconds } from '../../../shared/due/due-index.ts';
import { dueRowsOf } from '../../../shared/due/due-rows.dynamo.ts';
import { queueDueRows } from '../../../shared/due/queue-due-rows.ts';
import type { MessageChange } from '../../../shared/message/message.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { relayChanges } from '../../../shared/relay/relay.ts';
import type { AttemptError } from '../../../shared/webhook/attempt-record.ts';
import { type DeliverContext, deliverWebhook } from '../../../shared/webhook/deliver/deliver-webhook.ts';
import { disableIfFailing } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { PostResult } from '../../../shared/webhook/deliver/http-post.ts';
import { type Delivery, deliveryIdOf, newDelivery } from '../../../shared/webhook/delivery.ts';
import {
  dueWebhookOf,
  sendWebhookRetries,
  type WebhookEntry,
  type WebhookQueue,
} from '../../../shared/webhook/delivery-queue.sqs.ts';
import { readDelivery } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { runResend } from '../../../shared/webhook/log/resend.ts';
import { inMemoryTables } from '../engine/in-memory-tables.ts';
import { strictSqs } from '../engine/strict-sqs.ts';
import { testContext } from '../engine/test-context.ts';
import { aMessage, aSentMessage, created } from '../message/example-message.ts';
import type { AroundCall } from '../simulation/direct-database.ts';
import { virtualTime } from '../simulation/virtual-time.ts';

export interface Answer {
  readonly afterMs: number;
  readonly status?: number;
  readonly error?: AttemptError;
}

/** A POST that an endpoint received. */
export interface Posted {
  readonly deliveryId: string;
  readonly url: string;
  readonly body: string;
  readonly queue: WebhookQueue;
  readonly at: Date;
}

interface Options {
  /** @param number - 1 for the first POST of the delivery */
  readonly answer: (posted: Posted, number: number) => Answer;
  readonly around?: AroundCall;
  /** Called before a schedule is created, which it may prevent. */
  readonly onSchedule?: () => void;
  readonly scheduleLateMs?: number;
  /** True if the queue loses its n-th message. */
  readonly loses?: (index: number) => boolean;
  readonly timeScale?: number;
  /** The concurrency of each queue, by default unlimited. */
  readonly concurrency?: number;
}

const retentionDays = 30;
const shownAgainSeconds = 30;
const batchSize = 10;
const secret: WebhookSecret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };

export function webhookWorkers(options: Options) {
  const { answer, onSchedule, loses = () => false, timeScale = 1 } = options;
  const time = virtualTime(created.getTime());
  const clock = () => new Date(time.now());
  const tables = inMemoryTables(options.around === undefined ? {} : { around: options.around });
  const posts: Posted[] = [];
  const delays: { readonly path: 'queue' | 'schedule'; readonly seconds: number }[] = [];
  const failuresReported: string[] = [];
  const shown = { first: [], retries: [] } as Record<WebhookQueue, WebhookEntry['message'][]>;
  const running = { first: 0, retries: 0 };
  let revisions = 0;
  let queued = 0;

  const sqs = strictSqs({
    deliver(queueUrl, { MessageBody = '', DelaySeconds = 0 }) {
      if (queueUrl.includes('outbound')) return;
      delays.push({ path: 'queue', seconds: DelaySeconds });
      queued += 1;
      if (loses(queued - 1)) return;
      show(queueUrl.endsWith('/webhooks') ? 'first' : 'retries', JSON.parse(MessageBody), DelaySeconds);
    },
  });
  const context = testContext(tables, {
    ...{ clock, sleep: time.sleep, sqs: () => sqs, newId: () => `revision ${++revisions}` },
    env: { WEBHOOK_TIME_SCALE: timeScale, SCHEDULE_LEAD_SECONDS: 60 },
    log: {
      ...{ info: () => {}, warn: () => {} },
      error: (_text, { delivery_id } = {}) => void failuresReported.push(String(delivery_id)),
    },
  });
  const hasSecrets = replaceWebhookSecrets(context, 'client-a', [], [secret]);
  function onSchedules({ ScheduleExpression = '', Target }: CreateScheduleCommand['input']): void {
    onSchedule?.();
    const at = Date.parse(`${ScheduleExpression.slice('at('.length, -1)}Z`);
    const seconds = (at - time.now()) / 1000;
    delays.push({ path: 'schedule', seconds });
    show('retries', JSON.parse(Target?.Input ?? ''), seconds + (options.scheduleLateMs ?? 0) / 1000);
  }
  const workerOf = (from: WebhookQueue): DeliverContext => ({
    ...context,
    post: (request) => post(from, request),
    sendToAws: () => Promise.reject(new Error('no endpoint of these tests is in AWS')),
    scheduler: { send: async ({ input }: CreateScheduleCommand) => onSchedules(input) } as never,
  });
  const workers = { first: workerOf('first'), retries: workerOf('retries') };

  function show(name: WebhookQueue, message: WebhookEntry['message'], afterSeconds: number): void {
    time.at(time.now() + afterSeconds * 1000, () => {
      shown[name].push(message);
      startWorkers(name);
    });
  }

  function startWorkers(name: WebhookQueue): void {
    while (shown[name].length > 0 && running[name] < (options.concurrency ?? Number.POSITIVE_INFINITY)) {
      running[name] += 1;
      const batch = shown[name].splice(0, batchSize).map(async (message) => {
        const again = await work(name, message).catch(() => shownAgainSeconds);
        if (again !== undefined) show(name, message, again);
      });
      Promise.all(batch).then(() => {
        running[name] -= 1;
        startWorkers(name);
      });
    }
  }

  /** @returns after how many seconds the queue shows the message again */
  async function work(from: WebhookQueue, message: WebhookEntry['message']): Promise<number | undefined> {
    if ('resend_id' in message) {
      await runResend(workers[from], message.resend_id);
      return undefined;
    }
    if ('failing_endpoint_id' in message) {
      await disableIfFailing(workers[from], message.client_id, message.failing_endpoint_id);
      return undefined;
    }
    const outcome = await deliverWebhook(workers[from], from, message);
    return outcome.kind === 'held' ? outcome.retryAfterSeconds : undefined;
  }

  async function post(
    from: WebhookQueue,
    { url, body, headers }: Readonly<{ url: string; body: string; headers: Record<string, string> }>,
  ): Promise<PostResult> {
    const deliveryId = headers['webhook-id'] ?? '';
    const posted = { deliveryId, url, body, queue: from, at: clock() };
    posts.push(posted);
    const { afterMs, status, error } = answer(
      posted,
      posts.filter((one) => one.deliveryId === deliveryId).length,
    );
    await time.sleep(afterMs);
    return {
      timings: { totalMs: afterMs },
      reusedConnection: false,
      ...{ status, headers: {}, bodyStart: '' },
      error: error ?? (status === 200 ? undefined : 'not_200'),
    };
  }

  function queueDueEachMinute(): void {
    time.at(time.now() + 60_000, async () => {
      queueDueEachMinute();
      const until = addSeconds(clock(), aheadSeconds).toISOString();
      const isDue = tables.rows('webhook_deliveries').some(({ due_at }) => due_at && String(due_at) <= until);
      if (!isDue) return;
      await queueDueRows(context, {
        rows: dueRowsOf(context, tables.names.webhook_deliveries, 'delivery_id'),
        entryOf: dueWebhookOf,
        enqueue: (entries) => sendWebhookRetries(context, entries),
        kinds: ['retries'],
        waiting: async () => 0,
      });
    });
  }
  queueDueEachMinute();

  return {
    ...context,
    tables,
    posts: posts as readonly Posted[],
    /** With what delay messages were queued and schedules created. */
    delays: delays as readonly (typeof delays)[number][],
    failuresReported: failuresReported as readonly string[],
    async run(seconds: number) {
      await hasSecrets;
      // Lets work that the test has started run first.
      await new Promise(process.nextTick);
      await time.runUntil(time.now() + seconds * 1000);
    },
    at: (seconds: number, act: () => unknown) =>
      time.at(addSeconds(created, seconds).getTime(), () => void act()),
    /** Stores a new message and relays its change; by default it was sent to the URL of its request. */
    async relay(change: MessageChange = { before: aMessage(), after: aSentMessage() }) {
      await createMessage(context, change.after);
      await replaceWebhookSecrets(context, change.after.client_id, [], [secret]);
      await relayChanges({ ...context, accountUrlOf: async () => undefined }, [change]);
    },
    /** Writes the secrets of an account as an administrator does in the console. */
    async writeSecrets(client_id: string, webhook_secrets: unknown) {
      await hasSecrets;
      const update = {
        TableName: tables.names.client_secrets,
        Key: { client_id },
        UpdateExpression: 'SET webhook_secrets = :secrets',
        ExpressionAttributeValues: { ':secrets': webhook_secrets },
      };
      await tables.dynamo.send(new UpdateCommand(update));
    },
    /** The only delivery. */
    async delivery() {
      const [row] = tables.rows('webhook_deliveries').filter(({ event }) => event !== undefined);
      const delivery = await readDelivery(context, String(row?.delivery_id));
      if (delivery === undefined) throw new Error('there is no delivery');
      return delivery;
    },
  };
}

/** A delivery of a message of `client-a` that failed a minute before the tests begin, after all its attempts. */
export function failedDelivery({
  messageId = 'msg_01KAG00000000000000000000A',
  event = 'sms.sent',
  more = {},
} = {}): Delivery {
  const at = addSeconds(created, -60).toISOString();
  const delivery = newDelivery(
    {
      delivery_id: deliveryIdOf({ messageId, event }),
      ...{ client_id: 'client-a', message_id: messageId, event },
      ...{ url: 'https://endpoint.example.com/hook', body: JSON.stringify({ event }) },
    },
    addSeconds(created, -26_100),
    retentionDays,
    'failed',
  );
  return { ...delivery, state: 'failed', attempt_number: 6, finished_at: at, ...more };
}
