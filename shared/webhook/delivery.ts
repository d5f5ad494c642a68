/**
 * A webhook delivery is one row: the exact bytes to post, the state, the attempts, and the time of the next attempt.
 *
 * Each state transition is a pure function that returns the next row. The store replaces a row only if it has not changed
 * since it was read, so only one of several workers succeeds.
 *
 * Why: docs/decisions/webhook-row-with-revision.md
 */

import * as z from 'zod/mini';
import { keptDays } from '../contract/mode.ts';
import { endpointDisabledEvent } from '../contract/webhook-events.ts';
import {
  deliveryLeaseSeconds,
  retryAfterMaxSeconds,
  retryDelaysSeconds,
} from '../contract/webhook-worker-times.ts';
import { dueFields, dueRowFields, lookAfter } from '../due/due-index.ts';
import { addDays, addSeconds, epochSeconds } from '../platform/clock.ts';
import { derivedId } from '../platform/ids.ts';
import { openObject } from '../platform/object-fields.ts';
import { type Attempt, attemptSchema, boundedAttempts } from './attempt-record.ts';

export const deliveryStates = [
  'pending',
  'attempting',
  'retry_scheduled',
  'acknowledged',
  'failed',
  'skipped',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * For each state, the states from which a delivery may enter it. A manual resend makes a finished delivery `pending` again.
 */
const deliveryTransitions: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: ['acknowledged', 'failed', 'skipped'],
  attempting: ['pending', 'retry_scheduled', 'attempting'],
  retry_scheduled: ['attempting'],
  acknowledged: ['attempting'],
  failed: ['attempting'],
  skipped: ['attempting'],
};

/** True if no attempt follows, unless somebody requests a resend. */
export function isDeliveryFinished({ state }: { readonly state: DeliveryState }): boolean {
  return deliveryTransitions.pending.includes(state);
}

const time = z.iso.datetime();

/** The worker writes the whole row, so this schema also keeps fields that a later release has added. */
export const deliverySchema = z.readonly(
  openObject({
    delivery_id: z.string(),
    client_id: z.string(),
    /** Absent if the event is not about a message. */
    message_id: z.optional(z.string()),
    /** Absent for the URL of a request or an account. */
    endpoint_id: z.optional(z.string()),
    event: z.string(),
    /** The URL of the last attempt, for managed endpoints. */
    url: z.string(),
    /** The bytes of every attempt, as UTF-8. */
    body: z.string(),
    state: z.enum(deliveryStates),
    /** The number of the next or current attempt. After the delivery is finished: the number of its last attempt. */
    attempt_number: z.int().check(z.positive()),
    attempt_trigger: z.enum(['automatic', 'manual']),
    /** The attempt starts at this time or later. */
    attempt_due_at: time,
    attempts: z.readonly(z.array(attemptSchema)),
    /** When the worker's claim expires. Another worker may then repeat the attempt. */
    lease_until: z.optional(time),
    /** How many workers died during this attempt. */
    interruptions: z.int().check(z.nonnegative()),
    /** The last resend of many webhooks that included this delivery. */
    resent_by: z.optional(z.string()),
    /** The key in the index of failed deliveries: set by a failure, removed by an acknowledgement. */
    failed_key: z.optional(z.string()),
    alert_pending: z.optional(z.boolean()),
    ...dueRowFields,
    created_at: time,
    finished_at: z.optional(time),
    purge_at: z.int(),
    /** Changes with each write. The next write requires that it is unchanged. */
    revision: z.string(),
  }),
);
export type Delivery = z.output<typeof deliverySchema>;

/** An attempt fails after this many workers died during it, so that an endpoint cannot stop workers forever. */
export const interruptionsMax = 3;

export type NewDelivery = Readonly<
  Pick<Delivery, 'delivery_id' | 'client_id' | 'message_id' | 'endpoint_id' | 'event' | 'url' | 'body'>
> & {
  /** True if the endpoint is disabled. The delivery is kept for a resend (contract 12.8). */
  readonly isSkipped?: boolean;
  /** True if the endpoint has a longer time limit than the default. The retry queue then posts the first attempt. */
  readonly hasLongTimeout?: boolean;
};

export function newDelivery(
  { isSkipped = false, hasLongTimeout: _, ...given }: NewDelivery,
  now: Date,
  retentionDays: number,
  revision: string,
): Delivery {
  return {
    ...given,
    state: 'pending',
    attempt_number: 1,
    attempt_trigger: 'automatic',
    attempt_due_at: now.toISOString(),
    attempts: [],
    interruptions: 0,
    created_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, keptDays(given.client_id, retentionDays))),
    revision,
    ...(isSkipped
      ? { state: 'skipped', finished_at: now.toISOString() }
      : dueFields(given.delivery_id, lookAfter(now))),
  };
}

/** The next step of a worker, which depends only on the row and the time. */
type DeliveryStep =
  | { readonly kind: 'attempt' }
  | { readonly kind: 'wait'; readonly remainingMs: number }
  | { readonly kind: 'alert' }
  | { readonly kind: 'held'; readonly until: Date }
  | { readonly kind: 'nothing' };

export function deliveryStep(delivery: Delivery, now: Date): DeliveryStep {
  switch (delivery.state) {
    case 'acknowledged':
    case 'skipped':
      return { kind: 'nothing' };
    case 'failed':
      return delivery.alert_pending ? { kind: 'alert' } : { kind: 'nothing' };
    case 'attempting': {
      const until = new Date(delivery.lease_until ?? now);
      return now < until ? { kind: 'held', until } : { kind: 'attempt' };
    }
    case 'pending':
    case 'retry_scheduled': {
      const remainingMs = new Date(delivery.attempt_due_at).getTime() - now.getTime();
      return remainingMs > 0 ? { kind: 'wait', remainingMs } : { kind: 'attempt' };
    }
  }
}

/**
 * Claims the attempt for one worker. If the previous worker died, the new claim repeats its attempt. The claim does not
 * change `due_at`.
 */
export function claimDelivery(delivery: Delivery, now: Date, revision: string): Delivery {
  return enter(delivery, {
    state: 'attempting',
    revision,
    interruptions: delivery.interruptions + (delivery.state === 'attempting' ? 1 : 0),
    lease_until: addSeconds(now, deliveryLeaseSeconds).toISOString(),
  });
}

export function acknowledged(delivery: Delivery, attempt: Attempt, revision: string): Delivery {
  return finished(delivery, attempt, {
    state: 'acknowledged',
    revision,
    ...dueFields(delivery.delivery_id, undefined),
  });
}

/**
 * Returns the delivery after a failed attempt: with the next retry, `failed`, or `skipped` if the endpoint is disabled. A
 * manual resend gets no retries.
 */
export function failedAttempt(
  delivery: Delivery,
  attempt: Attempt,
  timeScale: number,
  revision: string,
): Delivery {
  if (attempt.error === 'endpoint_disabled') {
    const due = dueFields(delivery.delivery_id, undefined);
    return finished(delivery, attempt, { state: 'skipped', revision, ...due });
  }
  const isLast = delivery.attempt_trigger === 'manual' || attempt.error === 'endpoint_deleted';
  const delay = isLast ? undefined : retryDelay(delivery, attempt, timeScale);
  if (delay === undefined) {
    return finished(delivery, attempt, { state: 'failed', revision, alert_pending: true });
  }
  const dueAt = addSeconds(new Date(attempt.ended_at), delay);
  return enter(withoutLease(delivery), {
    state: 'retry_scheduled',
    revision,
    attempt_number: attempt.number + 1,
    attempt_due_at: dueAt.toISOString(),
    attempts: [...delivery.attempts, { ...attempt, next_due_at: dueAt.toISOString() }],
    interruptions: 0,
    ...dueFields(delivery.delivery_id, lookAfter(dueAt)),
  });
}

export function alerted(delivery: Delivery, revision: string): Delivery {
  const { alert_pending: _, ...rest } = delivery;
  return bounded({ ...rest, revision, ...dueFields(delivery.delivery_id, undefined) });
}

/** If a delivery is resent at the end of its retention, its row is kept this much longer, so that the attempt can end. */
const keptForResendSeconds = 3600;

/** Returns a finished delivery with one more attempt, which an operator or the client requested. */
export function resendDue(
  delivery: Delivery,
  dueAt: Date,
  revision: string,
  resent_by?: Delivery['resent_by'],
): Delivery {
  const { finished_at: _, alert_pending: _alert, ...rest } = delivery;
  return enter(rest, {
    ...(resent_by === undefined ? {} : { resent_by }),
    state: 'pending',
    revision,
    attempt_number: delivery.attempt_number + 1,
    attempt_trigger: 'manual',
    attempt_due_at: dueAt.toISOString(),
    interruptions: 0,
    ...dueFields(delivery.delivery_id, lookAfter(dueAt)),
    purge_at: Math.max(delivery.purge_at, epochSeconds(addSeconds(dueAt, keptForResendSeconds))),
  });
}

/** Returns the seconds until the next attempt (contract 7.8), or undefined after the last attempt. */
function retryDelay({ endpoint_id }: Delivery, attempt: Attempt, timeScale: number): number | undefined {
  const delay = retryDelaysSeconds[attempt.number - 1];
  if (delay === undefined) return undefined;
  const requested = endpoint_id === undefined ? 0 : retryAfterOf(attempt);
  return Math.max(Math.ceil(delay / timeScale), Math.min(requested, retryAfterMaxSeconds / timeScale));
}

/** The only form of an HTTP date that servers may send (RFC 9110, 5.6.7). */
const httpDate = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Returns the seconds to wait that a 429 or 503 names in `Retry-After`. Returns 0 or less if it names none. */
function retryAfterOf({ status, response_headers, ended_at }: Attempt): number {
  const text = status === 429 || status === 503 ? (response_headers['retry-after'] ?? '') : '';
  if (/^\d+$/.test(text)) return Number(text);
  const at = httpDate.test(text) ? Date.parse(text) || 0 : 0;
  return (at - Date.parse(ended_at)) / 1000;
}

function finished(
  delivery: Delivery,
  attempt: Attempt,
  entered: Partial<Delivery> & { readonly state: DeliveryState; readonly revision: string },
): Delivery {
  const attempts = [...delivery.attempts, attempt];
  return enter(withoutLease(delivery), { ...entered, attempts, finished_at: attempt.ended_at });
}

function enter(
  from: Delivery,
  entered: Partial<Delivery> & { readonly state: DeliveryState; readonly revision: string },
): Delivery {
  if (!deliveryTransitions[entered.state].includes(from.state)) {
    throw new Error(`a delivery cannot become ${entered.state} from ${from.state}`);
  }
  return bounded({ ...from, ...entered });
}

/** Limits the size of the row at each transition, so that an older row that is too large becomes smaller. */
function bounded(delivery: Delivery): Delivery {
  return { ...delivery, attempts: boundedAttempts(delivery.attempts) };
}

function withoutLease(delivery: Delivery): Delivery {
  const { lease_until: _, ...rest } = delivery;
  return rest;
}

/** Returns the origin of a URL, or the ARN of a queue or an event bus. */
export function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === 'null' ? url : parsed.origin;
}

/** Derives a delivery's id from its event and destination, so that a repeat gives the same id. */
export function deliveryIdOf({
  messageId,
  event,
  endpointId,
}: {
  readonly messageId: string;
  readonly event: string;
  /** Absent for the URL of the message or of the account. */
  readonly endpointId?: string | undefined;
}): string {
  return derivedId('whd', messageId, event, ...(endpointId === undefined ? [] : [endpointId]));
}

/** Returns the id of the webhook that tells an endpoint that another endpoint was disabled. */
export function disabledNoticeId(
  disabled: { readonly endpointId: string; readonly at: string },
  toEndpointId: string,
): string {
  return derivedId('whd', disabled.endpointId, endpointDisabledEvent, disabled.at, toEndpointId);
}

/** Returns the fixed position of a delivery in the list of its client: by time, then by id. */
export function listPositionOf({
  created_at,
  delivery_id,
}: {
  readonly created_at: string;
  readonly delivery_id: string;
}): string {
  return `${created_at}#${delivery_id}`;
}
