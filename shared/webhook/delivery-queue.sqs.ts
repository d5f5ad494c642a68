/**
 * Sends messages to the two webhook queues, and schedules the next attempt of a delivery.
 *
 * First attempts and retries have separate queues and workers, because an endpoint that hangs occupies a worker for five
 * seconds or more. The retry queue also carries resends, and first attempts to slow endpoints (delivery-store.dynamo.ts). The
 * message group is the client, so a fair queue prevents one client from delaying the others.
 */

import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import * as z from 'zod/mini';
import { retryDelaysSeconds } from '../contract/webhook-worker-times.ts';
import { allEnded } from '../platform/aws/permanent-fault.ts';
import { queueText, scheduleNameOf, sendMessages } from '../platform/aws/queues.sqs.ts';
import { addSeconds, queueDelayMaxSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { isId } from '../platform/ids.ts';
import type { Delivery } from './delivery.ts';

const id = z.string().check(z.minLength(1));
const deliveryMessage = z.object({ delivery_id: id });
export type DeliveryMessage = Readonly<z.output<typeof deliveryMessage>>;

/**
 * Names the row to process: a delivery, a resend of many webhooks, or an endpoint that may have to be disabled, because it has
 * failed for days or answered 410.
 */
export const webhookMessageSchema = z.union([
  deliveryMessage,
  z.object({ resend_id: id }),
  z.object({
    client_id: id,
    failing_endpoint_id: id,
    /** The revision of the endpoint that answered 410. */
    gone: z.exactOptional(id),
  }),
]);
export type WebhookQueue = 'first' | 'retries';

export interface WebhookEntry {
  readonly clientId: string;
  readonly message: Readonly<z.output<typeof webhookMessageSchema>>;
  /** Whole seconds, at most 900, the maximum of SQS. */
  readonly delaySeconds: number;
}

interface EnqueuedDelivery {
  readonly delivery: Delivery;
  readonly delaySeconds?: number;
  readonly isToSlowEndpoint?: boolean;
}

/** Sends a queue message for each delivery. @throws if a message may be missing from its queue. */
export async function enqueueDeliveries(
  context: Context<'WEBHOOKS_QUEUE_URL' | 'WEBHOOK_RETRIES_QUEUE_URL'>,
  enqueued: readonly EnqueuedDelivery[],
): Promise<void> {
  const { first = [], retries = [] } = Object.groupBy(enqueued, queueOf);
  await allEnded([
    sendEntries(context, context.env.WEBHOOKS_QUEUE_URL, first.map(entryOf)),
    sendWebhookRetries(context, retries.map(entryOf)),
  ]);
}

function queueOf({ delivery, isToSlowEndpoint = false }: EnqueuedDelivery): WebhookQueue {
  return delivery.attempt_number === 1 && !isToSlowEndpoint ? 'first' : 'retries';
}

function entryOf({ delivery, delaySeconds = 0 }: EnqueuedDelivery): WebhookEntry {
  const { client_id: clientId, delivery_id } = delivery;
  return { clientId, message: { delivery_id }, delaySeconds };
}

/** Sends entries to the retry queue. @throws if an entry may be missing from the queue. */
export function sendWebhookRetries(
  context: Context<'WEBHOOK_RETRIES_QUEUE_URL'>,
  entries: readonly WebhookEntry[],
): Promise<void> {
  return sendEntries(context, context.env.WEBHOOK_RETRIES_QUEUE_URL, entries);
}

async function sendEntries(
  { sqs }: Context,
  queueUrl: string,
  entries: readonly WebhookEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const messages = entries.map(({ message, ...entry }) => ({ ...entry, json: JSON.stringify(message) }));
  await sendMessages(sqs(), queueUrl, messages);
}

const dueRow = z.object({ delivery_id: id, client_id: id });

/** Returns the queue entry for a row of the due index. @throws ZodError if the row is not valid. */
export function dueWebhookOf(row: unknown, delaySeconds: number) {
  const { delivery_id, client_id: clientId } = dueRow.parse(row);
  const message = isId('whr', delivery_id) ? { resend_id: delivery_id } : { delivery_id };
  return { kind: 'retries', clientId, message, delaySeconds } as const;
}

/** Within this time, SQS delays the message, because a schedule could be stored only after its own time. */
const scheduleAheadSeconds = 5;

/**
 * Returns the time at which the schedule of the next attempt fires, or undefined if an SQS delay is enough. A delay of one
 * or six hours uses a schedule, even if a test shortens all delays. EventBridge Scheduler may fire a schedule
 * `scheduleLeadSeconds` late, so the schedule is set that much early, and SQS delays the rest. The delay of SQS is rounded
 * down to a second, and the worker waits for the fraction, so that the attempt is neither early nor a second late.
 */
function scheduledAt(delivery: Delivery, now: Date, scheduleLeadSeconds: number): Date | undefined {
  const dueAt = new Date(delivery.attempt_due_at);
  const remainingSeconds = (dueAt.getTime() - now.getTime()) / 1000;
  const needsSchedule =
    (isLongDelay(delivery) && remainingSeconds > scheduleLeadSeconds + scheduleAheadSeconds) ||
    remainingSeconds > queueDelayMaxSeconds;
  if (!needsSchedule) return undefined;
  // The time of a schedule is in whole seconds.
  return new Date(Math.ceil(addSeconds(dueAt, -scheduleLeadSeconds).getTime() / 1000) * 1000);
}

/**
 * Returns the whole seconds until the queue shows the message of the next attempt: never late, and less than a second
 * early. If this exceeds the longest delay of SQS, returns that delay, and the worker then schedules the attempt again.
 */
function queueDelaySeconds({ attempt_due_at }: Delivery, now: Date): number {
  const remainingSeconds = Math.floor((Date.parse(attempt_due_at) - now.getTime()) / 1000);
  return Math.min(queueDelayMaxSeconds, Math.max(0, remainingSeconds));
}

/** The context of functions that schedule retries. */
export type RetryContext = Context<
  | 'WEBHOOK_RETRIES_QUEUE_URL'
  | 'WEBHOOK_RETRIES_QUEUE_ARN'
  | 'SCHEDULE_LEAD_SECONDS'
  | 'SCHEDULE_GROUP'
  | 'SCHEDULE_ROLE_ARN'
> & { readonly scheduler: SchedulerClient };

/**
 * Schedules the next attempt of a delivery: by an SQS delay, or by a one-shot schedule if the delay is too long for SQS.
 * The message of a schedule has no message group. This message arrives early. The worker then sends another message for the
 * rest of the delay, with the client as its group. If the schedule cannot be created, SQS delays the message as long as it
 * can, and the worker then tries again. Repeating the call is safe.
 *
 * AWS stops a loop Lambda → SQS → Lambda after 16 invocations, unless the function allows recursive loops. The loop of one
 * delivery has at most 11 invocations: the first attempt, and five retries with at most one further delay each. But a batch
 * contains messages of several deliveries, which joins their loops. The function therefore allows recursive loops.
 */
export async function scheduleRetry(context: RetryContext, delivery: Delivery): Promise<void> {
  const { client_id: clientId, delivery_id, attempt_number } = delivery;
  const now = context.clock();
  const message = { delivery_id };
  const sendLater = () =>
    sendWebhookRetries(context, [{ clientId, message, delaySeconds: queueDelaySeconds(delivery, now) }]);
  const at = scheduledAt(delivery, now, context.env.SCHEDULE_LEAD_SECONDS);
  if (at === undefined) return sendLater();
  try {
    await scheduleOnce(context, `${delivery_id}-${attempt_number}`, at, message);
  } catch (error) {
    context.warn('a retry could not be scheduled; its message waits in the queue', error);
    await sendLater();
  }
}

/** True if the unscaled delay before this attempt is too long for an SQS delay. */
function isLongDelay(delivery: Delivery): boolean {
  const unscaledDelay = retryDelaysSeconds[delivery.attempt_number - 2];
  return (
    delivery.attempt_trigger === 'automatic' &&
    unscaledDelay !== undefined &&
    unscaledDelay > queueDelayMaxSeconds
  );
}

/**
 * Creates a one-time schedule on EventBridge Scheduler, which is deleted after it fires.
 *
 * @param name - identifies the purpose of the schedule: a second call with this name changes nothing
 * @param at - the schedule fires at this time or up to a minute later
 */
async function scheduleOnce(
  { env, scheduler }: RetryContext,
  name: string,
  at: Date,
  message: object,
): Promise<void> {
  try {
    await scheduler.send(
      new CreateScheduleCommand({
        Name: scheduleNameOf(name),
        GroupName: env.SCHEDULE_GROUP,
        ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        // The message has no message group. If it arrives early, the consumer waits, or sends it again with a group.
        Target: {
          Arn: env.WEBHOOK_RETRIES_QUEUE_ARN,
          RoleArn: env.SCHEDULE_ROLE_ARN,
          Input: queueText(JSON.stringify(message)),
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}
