/** A request to resend many of a client's webhooks: its row, how far it is, and which deliveries it includes. */

import * as z from 'zod/mini';
import { keptDays } from '../../contract/mode.ts';
import { dueFields, dueRowFields, lookAfter } from '../../due/due-index.ts';
import { addDays, addSeconds, epochSeconds } from '../../platform/clock.ts';
import { derivedId } from '../../platform/ids.ts';
import { openObject } from '../../platform/object-fields.ts';
import { type Delivery, originOf } from '../delivery.ts';

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
    ...dueRowFields,
    /** Changes with each write; the condition of the next write. */
    revision: z.string(),
  }),
);
export type Resend = z.output<typeof resendSchema>;

export function newResend(
  asked: ResendFilter & { readonly resend_id: string; readonly client_id: string; readonly actor: string },
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
    ...dueFields(asked.resend_id, lookAfter(now)),
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

/** Returns the row after a step. At the end of the list it goes from counting to sending, then to completed. */
export function afterStep(
  resend: Resend,
  step: {
    readonly matched: number;
    readonly resent: number;
    /** Undefined at the end of the list. */
    readonly cursor: string | undefined;
  },
  now: Date,
  revision: string,
): Resend {
  const { cursor: _cursor, ...rest } = resend;
  const resent = resend.resent + step.resent;
  // If two processes take the same step, it is counted once, but one may have resent deliveries that the other did
  // not count.
  const matched = Math.max(resend.matched + step.matched, resent);
  const due = dueFields(resend.resend_id, lookAfter(now));
  const counted = { ...rest, matched, resent, revision, ...due };
  if (step.cursor !== undefined) return { ...counted, cursor: step.cursor };
  if (resend.status === 'matching' && counted.matched > 0) return { ...counted, status: 'sending' };
  const finished = dueFields(resend.resend_id, undefined);
  return { ...counted, ...finished, status: 'completed', completed_at: now.toISOString() };
}

/** True if the delivery is at the requested destination, and its event in the requested range. */
function isAskedFor(filter: ResendFilter, delivery: Delivery): boolean {
  return (
    (filter.endpoint_id === undefined || delivery.endpoint_id === filter.endpoint_id) &&
    (filter.origin === undefined || originOf(delivery.url) === filter.origin) &&
    delivery.created_at >= filter.since &&
    delivery.created_at <= filter.until
  );
}

/** The clocks of the process that is asked and of the one that delivers differ by less. */
const clocksDifferSeconds = 5;

/**
 * True if it must be resent now. A delivery that finished after the request is not included, so a webhook that fails
 * again is not resent a second time.
 */
export function isDue(resend: Resend, delivery: Delivery): boolean {
  const finishedUntil = addSeconds(new Date(resend.created_at), clocksDifferSeconds).toISOString();
  return (
    delivery.client_id === resend.client_id &&
    delivery.state === resend.state &&
    !isResentBy(resend, delivery) &&
    (delivery.finished_at ?? '') <= finishedUntil &&
    isAskedFor(resend, delivery)
  );
}

export function isResentBy({ resend_id }: Resend, { resent_by }: Delivery): boolean {
  return resent_by === resend_id;
}
