/** A request to resend many of a client's webhooks: its row, how far it is, and which deliveries it includes. */

import * as z from 'zod/mini';
import { keptDays } from '../../contract/mode.ts';
import { messageEventNames } from '../../contract/webhook-events.ts';
import { statuses } from '../../message/message.ts';
import { addDays, addSeconds, epochSeconds } from '../../platform/clock.ts';
import { derivedId } from '../../platform/ids.ts';
import { openObject } from '../../platform/object-fields.ts';
import { type Delivery, deliveryIdOf, originOf } from '../delivery.ts';

/** `matching` counts the deliveries, `sending` resends them. */
export const resendStatuses = ['matching', 'sending', 'completed'] as const;

export const resendableStates = ['failed', 'acknowledged'] as const;

const time = z.iso.datetime();
const count = z.int().check(z.nonnegative());

/**
 * The webhooks to resend: every one in the state whose event happened in the range, at one endpoint, one origin, or
 * all.
 */
const resendFilterSchema = openObject({
  endpoint_id: z.exactOptional(z.string()),
  origin: z.exactOptional(z.string()),
  state: z.enum(resendableStates),
  since: time,
  until: time,
});
export type ResendFilter = Readonly<z.output<typeof resendFilterSchema>>;

export const resendSchema = z.readonly(
  z.extend(resendFilterSchema, {
    resend_id: z.string(),
    client_id: z.string(),
    actor: z.string(),
    status: z.enum(resendStatuses),
    /** The start of the next step in the present status; absent at the beginning. */
    cursor: z.exactOptional(z.string()),
    matched: count,
    resent: count,
    created_at: time,
    completed_at: z.exactOptional(time),
    purge_at: z.int(),
    /** Changes with each write; the condition of the next write. */
    revision: z.string(),
  }),
);
export type Resend = z.output<typeof resendSchema>;

export function newResend(
  asked: ResendFilter & Pick<Resend, 'resend_id' | 'client_id' | 'actor'>,
  now: Date,
  retentionDays: number,
  revision: string,
): Resend {
  return {
    ...asked,
    status: 'matching',
    matched: 0,
    resent: 0,
    created_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, keptDays(asked.client_id, retentionDays))),
    revision,
  };
}

/** Returns the same id for the same request. `open` is a number if the range has no end. */
export function resendIdOf(
  clientId: string,
  { endpoint_id = '', origin = '', state, since, until }: ResendFilter,
  open: number | undefined,
): string {
  const end = open === undefined ? until : `open ${open}`;
  return derivedId('whr', clientId, endpoint_id, origin, state, since, end);
}

export interface StepResult {
  readonly matched: number;
  readonly resent: number;
  /** Undefined at the end of the list. */
  readonly cursor: string | undefined;
}

/** Returns the row after a step. At the end of the list it goes from counting to sending, then to completed. */
export function afterStep(resend: Resend, step: StepResult, now: Date, revision: string): Resend {
  const { cursor: _cursor, ...rest } = resend;
  const resent = resend.resent + step.resent;
  // If two processes take the same step, it is counted once, but one may have resent deliveries that the other did
  // not count.
  const matched = Math.max(resend.matched + step.matched, resent);
  const counted = { ...rest, matched, resent, revision };
  if (step.cursor !== undefined) return { ...counted, cursor: step.cursor };
  if (resend.status === 'matching' && counted.matched > 0) return { ...counted, status: 'sending' };
  return { ...counted, status: 'completed', completed_at: now.toISOString() };
}

/** True if the delivery is at the requested destination, and its event in the requested range. */
export function isAskedFor(filter: ResendFilter, delivery: Delivery): boolean {
  return (
    (filter.endpoint_id === undefined || delivery.endpoint_id === filter.endpoint_id) &&
    (filter.origin === undefined || originOf(delivery.url) === filter.origin) &&
    delivery.created_at >= filter.since &&
    delivery.created_at <= filter.until
  );
}

/** The clocks of who asks and of who delivers differ by less. */
const clocksDifferSeconds = 5;

/**
 * Returns the latest finish that the request includes: deliveries that finished by then could be shown as finished to
 * the requester.
 */
export function finishedUntil({ created_at }: Resend): string {
  return addSeconds(new Date(created_at), clocksDifferSeconds).toISOString();
}

/**
 * True if it must be resent now. A delivery that finished after the request is not included, so a webhook that fails
 * again is not resent a second time.
 */
export function isDue(resend: Resend, delivery: Delivery): boolean {
  return (
    delivery.client_id === resend.client_id &&
    delivery.state === resend.state &&
    delivery.resent_by?.resend_id !== resend.resend_id &&
    (delivery.finished_at ?? '') <= finishedUntil(resend) &&
    isAskedFor(resend, delivery)
  );
}

/** Returns the same text for all events of a message at one destination. */
export function destinationOf({ message_id, delivery_id, endpoint_id = '' }: Delivery): string {
  return `${message_id ?? delivery_id} ${endpoint_id}`;
}

/**
 * Returns the deliveries with the other events of each message at the same destination: no event may overtake
 * another.
 */
export async function withEventsOfTheSame(
  deliveries: { getMany(deliveryIds: readonly string[]): Promise<readonly Delivery[]> },
  included: readonly Delivery[],
): Promise<readonly Delivery[]> {
  const ids = included.flatMap(({ message_id, endpoint_id, event, delivery_id }) =>
    message_id === undefined
      ? []
      : eventsLike(event)
          .map((name) => deliveryIdOf({ messageId: message_id, event: name, endpointId: endpoint_id }))
          .filter((id) => id !== delivery_id),
  );
  const known = new Map(included.map((row) => [row.delivery_id, row]));
  const others = ids.filter((id) => !known.has(id));
  return [...known.values(), ...(await deliveries.getMany(others))];
}

/** Returns the names of the events of the same channel. */
function eventsLike(event: string): string[] {
  const prefix = event.slice(0, event.indexOf('.') + 1);
  return messageEventNames.filter((name) => name.startsWith(prefix));
}

export interface OrderedDelivery {
  readonly row: Delivery;
  /** How many of its message's events come before it. */
  readonly rank: number;
  /** The id of the last of these. */
  readonly after: string | undefined;
}

/**
 * Messages by time, the events of each in the order of its states: `created_at` is by the clocks of two processes, and
 * the events of one message can be closer to each other than these.
 */
export function inOrder(rows: readonly Delivery[]): OrderedDelivery[] {
  const byTime = rows.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  return [...Map.groupBy(byTime, destinationOf).values()].flatMap((events) => {
    const byState = events.toSorted((a, b) => stateOrderOf(a) - stateOrderOf(b));
    return byState.map((row, rank) => ({ row, rank, after: byState[rank - 1]?.delivery_id }));
  });
}

function stateOrderOf({ event }: Delivery): number {
  return statuses.findIndex((status) => event.endsWith(`.${status}`));
}
