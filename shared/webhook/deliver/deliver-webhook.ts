/**
 * Delivers one webhook when its queue message arrives. No webhook is lost. No webhook is posted twice, with two exceptions:
 * a worker dies between the first byte of a POST and the write of its outcome, or the endpoint closes a reused connection
 * during the POST (http-post.ts). No sender of webhooks can prevent these two cases.
 *
 * A worker may die at any line. The numbers mark the steps: claim (1 to 3), post (4), record (5), then schedule the retry
 * (6) or send the alert (7):
 *   before 3  nothing is written: SQS shows the queue message again.
 *   at 2      the message may be sent twice: the second one finds no attempt that is due.
 *   3 to 4    a dead worker holds the claim: after the lease the queue message repeats the attempt.
 *   4 to 5    as above, and the endpoint may receive the POST twice, with the same `webhook-id`.
 *   5 to 7    the outcome is in the row: the queue message finds `retry_scheduled` and schedules the retry, or finds
 *             `failed` with a pending alert and sends it.
 *   after     the delivery is complete; the queue message, if shown again, posts nothing.
 * If the endpoint is deleted or disabled, nothing is posted at step 4, and the delivery is `failed` or `skipped`. If no secret
 * can sign, nothing is posted, and the attempt fails. If an edit made the endpoint's row invalid, the worker claims nothing, and the queue
 * delivers the message again. If SQS or EventBridge Scheduler loses a message, the due index finds the delivery. A delivery
 * has a `due_at` until it is finished.
 */
import { cachedWebhookSecrets, signingSecrets } from '../../client/webhook-secrets.dynamo.ts';
import { waitSecondsMax } from '../../contract/webhook-worker-times.ts';
import type { Context } from '../../platform/context.ts';
import { retry } from '../../platform/retry.ts';
import type { Attempt, UnpostedError } from '../attempt-record.ts';
import {
  acknowledged,
  claimDelivery,
  type Delivery,
  deliveryStep,
  failedAttempt,
  interruptionsMax,
} from '../delivery.ts';
import {
  type DeliveryMessage,
  type RetryContext,
  scheduleRetry,
  type WebhookQueue,
} from '../delivery-queue.sqs.ts';
import {
  noteResponseTime,
  readDelivery,
  replaceDelivery,
  type StoredDeliveries,
} from '../delivery-store.dynamo.ts';
import { readEndpoint } from '../endpoint-store.dynamo.ts';
import { hasLongTimeout, type WebhookEndpoint } from '../webhook-endpoint.ts';
import { alertFailure } from './alert-failure.ts';
import { countResult, countSuccessAgain } from './disable-endpoint.ts';
import type { Post } from './http-post.ts';
import type { SendToAws } from './send-to-aws.sqs.ts';
import { type ClaimedAttempt, postAttempt, unpostedAttempt } from './sign-and-post.ts';

/** The context of the worker that delivers webhooks. */
export type DeliverContext = StoredDeliveries &
  RetryContext &
  Context<
    'WEBHOOK_ENDPOINTS_TABLE' | 'CLIENT_SECRETS_TABLE' | 'ACTIVITY_LOG_TABLE' | 'WEBHOOK_TIME_SCALE'
  > & {
    readonly post: Post;
    readonly sendToAws: SendToAws;
  };

/** The worker has claimed the attempt. */
interface Claimed extends ClaimedAttempt {
  readonly kind: 'claimed';
  /** The reason why the attempt must not post anything. */
  readonly unposted: UnpostedError | undefined;
}

export type Outcome =
  /** No attempt is due for this queue message. */
  | { readonly kind: 'unknown' | 'finished' | 'lost_race' | 'waiting' }
  /**
   * Another worker has claimed this attempt. If that worker dies, this queue message repeats the attempt after the lease.
   */
  | { readonly kind: 'held'; readonly retryAfterSeconds: number }
  | { readonly kind: 'alerted'; readonly delivery: Delivery }
  | {
      readonly kind: 'acknowledged' | 'retry_scheduled' | 'failed' | 'skipped';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/** @param from - the queue from which the message was received */
export async function deliverWebhook(
  context: DeliverContext,
  from: WebhookQueue,
  message: DeliveryMessage,
): Promise<Outcome> {
  const claim = await claimAttempt(context, message); // 1 to 3
  if (claim.kind !== 'claimed') return claim;
  const unposted = preventedBy(claim, context.clock());
  const attempt =
    unposted === undefined
      ? await postAttempt(context, claim) // 4
      : unpostedAttempt(claim.delivery, unposted, context.clock());
  const delivery = await recordPost(context, claim.delivery, attempt); // 5
  if (delivery?.state === 'retry_scheduled') await scheduleRetry(context, delivery); // 6
  if (delivery?.state === 'failed') await alertFailure(context, delivery); // 7
  // The retry queue serves an endpoint with a long time limit, even if the endpoint is quick.
  if (unposted === undefined && !hasLongTimeout(claim.endpoint ?? {})) {
    const tookMs = attempt.total_ms;
    await noteResponseTime(context, claim.delivery, tookMs, from === 'retries').catch((error: unknown) =>
      context.warn('the response time of an endpoint could not be recorded', error),
    );
  }
  if (delivery === undefined) return { kind: 'lost_race' };
  if (unposted === undefined && claim.endpoint !== undefined) {
    const counting = countResult(context, claim.endpoint, attempt);
    // An uncounted success could disable the endpoint. If the count fails, the queue delivers the message again.
    if (attempt.error === undefined) await counting;
    else await counting.catch((error: unknown) => context.warn(notCounted, error));
  }
  if (attempt.error === undefined) return { kind: 'acknowledged', delivery, attempt };
  const { state } = delivery;
  return { kind: state === 'failed' || state === 'skipped' ? state : 'retry_scheduled', delivery, attempt };
}

const notCounted = 'the result of an attempt could not be counted for its endpoint';

function preventedBy({ unposted, delivery, secrets }: Claimed, now: Date): UnpostedError | undefined {
  if (unposted !== undefined) return unposted;
  if (delivery.interruptions >= interruptionsMax) return 'reset';
  return signingSecrets(secrets, now).length === 0 ? 'no_secret' : undefined;
}

/** A queue message arrives less than a second before its attempt is due. */
const longestWaitInWorkerMs = waitSecondsMax * 1000;

/** Reads the delivery, waits until it is due, and claims the attempt for this worker. */
async function claimAttempt(
  context: DeliverContext,
  { delivery_id }: DeliveryMessage,
): Promise<Claimed | Outcome> {
  const { clock } = context;
  const seen = await readDelivery(context, delivery_id); // 1
  if (seen === undefined) return { kind: 'unknown' };

  const step = deliveryStep(seen, clock());
  if (step.kind === 'nothing') {
    await countSuccessAgain(context, seen);
    return { kind: 'finished' };
  }
  if (step.kind === 'held') return { kind: 'held', retryAfterSeconds: secondsOfLease(step.until, clock()) };
  if (step.kind === 'alert') {
    await alertFailure(context, seen); // 7
    return { kind: 'alerted', delivery: seen };
  }
  if (step.kind === 'wait' && step.remainingMs >= longestWaitInWorkerMs) {
    await scheduleRetry(context, seen); // 2
    return { kind: 'waiting' };
  }
  await waitUntilDue(context, seen);
  const { url, endpoint, unposted } = await presentDestination(context, seen);
  // The secrets are read after the wait, so that they are not older than the cache time.
  const secrets = await cachedWebhookSecrets(context, seen.client_id, seen.endpoint_id);
  const delivery = claimDelivery({ ...seen, url }, clock(), context.newId());
  if (!(await replaceDelivery(context, seen, delivery))) return { kind: 'lost_race' }; // 3
  return { kind: 'claimed', delivery, endpoint, unposted, secrets };
}

/** Returns the whole seconds until the lease ends, plus one in case this worker's clock is ahead. */
function secondsOfLease(until: Date, now: Date): number {
  return Math.ceil((until.getTime() - now.getTime()) / 1000) + 1;
}

/** Waits until the attempt is due. A timer may fire a little early, so the wait checks the clock again. */
async function waitUntilDue({ clock, sleep }: Context, { attempt_due_at }: Delivery): Promise<void> {
  for (;;) {
    const remainingMs = Date.parse(attempt_due_at) - clock().getTime();
    if (remainingMs <= 0) return;
    await sleep(remainingMs);
  }
}

/** Returns the current URL of an endpoint, or the stored URL if the delivery is for the URL of a request or an account. */
async function presentDestination(
  context: DeliverContext,
  { client_id, endpoint_id, url }: Delivery,
): Promise<{ url: string; endpoint: WebhookEndpoint | undefined; unposted: UnpostedError | undefined }> {
  if (endpoint_id === undefined) return { url, endpoint: undefined, unposted: undefined };
  const endpoint = await readEndpoint(context, client_id, endpoint_id);
  if (endpoint === undefined) return { url, endpoint, unposted: 'endpoint_deleted' };
  return { url: endpoint.url, endpoint, unposted: endpoint.enabled ? undefined : 'endpoint_disabled' };
}

/**
 * With the SDK's own retries, these retries take about as long as the worker has left
 * (shared/contract/webhook-worker-times.ts).
 */
const writeRetryDelaysMs = [100, 400, 1600, 3200];

/** Writes the outcome of the attempt. Returns the new delivery, or undefined if another worker changed it first. */
async function recordPost(
  context: DeliverContext,
  held: Delivery,
  attempt: Attempt,
): Promise<Delivery | undefined> {
  const { env, sleep, newId, warn } = context;
  const delivery =
    attempt.error === undefined
      ? acknowledged(held, attempt, newId())
      : failedAttempt(held, attempt, env.WEBHOOK_TIME_SCALE, newId());
  // Retries the write, because a lost outcome would repeat the POST.
  const retryPolicy = {
    delaysMs: writeRetryDelaysMs,
    sleep,
    warn: (error: unknown) => warn('the outcome of an attempt could not be written yet', error),
  };
  const isWritten = await retry(retryPolicy, () => replaceDelivery(context, held, delivery));
  return isWritten ? delivery : undefined;
}
