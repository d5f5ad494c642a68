/** A request to resend many of a client's webhooks: its row, how far it is, and which deliveries it includes. */
import * as z from 'zod/mini';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { derivedId } from '../../platform/ids.ts';
import type { Delivery } from '../delivery.ts';
import { originOf } from '../endpoint-health/endpoint-health.ts';
import type { RevisedRows } from '../store/delivery-store.ts';

/** `matching` counts what will be resent, `sending` resends it. */
export const resendStatuses = ['matching', 'sending', 'completed'] as const;

/** What a request may choose. */
export const resendableStates = ['failed', 'acknowledged'] as const;

const time = z.iso.datetime();
const count = z.int().check(z.nonnegative());

/** What is resent: every webhook in the state whose event happened in the range, at one endpoint, origin, or anywhere. */
const resendFilterSchema = z.object({
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
    /** Where the next step of the present status begins; absent at its start. */
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

export type ResendStore = RevisedRows<Resend>;

interface NewResend {
  readonly resendId: string;
  readonly clientId: string;
  readonly actor: string;
  readonly filter: ResendFilter;
}

export function newResend(
  { resendId, clientId, actor, filter }: NewResend,
  now: Date,
  retentionDays: number,
  revision: string,
): Resend {
  return {
    ...filter,
    resend_id: resendId,
    client_id: clientId,
    actor,
    status: 'matching',
    matched: 0,
    resent: 0,
    created_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, retentionDays)),
    revision,
  };
}

/** The same request has the same id; `open` is a number where it has no end. */
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

/** The row after a step. At the end of the list it is first counted, then sent, then completed. */
export function afterStep(resend: Resend, step: StepResult, now: Date, revision: string): Resend {
  const { cursor: _cursor, ...rest } = resend;
  const resent = resend.resent + step.resent;
  // A failure whose alert was not sent yet when it was counted may follow.
  const matched = Math.max(resend.matched + step.matched, resent);
  const counted = { ...rest, matched, resent, revision };
  if (step.cursor !== undefined) return { ...counted, cursor: step.cursor };
  if (resend.status === 'matching' && counted.matched > 0) return { ...counted, status: 'sending' };
  return { ...counted, status: 'completed', completed_at: now.toISOString() };
}

/** Whether the delivery is at the destination, and its event in the range, that were asked for. */
export function isAskedFor(filter: ResendFilter, delivery: Delivery): boolean {
  return (
    (filter.endpoint_id === undefined || delivery.endpoint_id === filter.endpoint_id) &&
    (filter.origin === undefined || originOf(delivery.url) === filter.origin) &&
    delivery.created_at >= filter.since &&
    delivery.created_at <= filter.until
  );
}

/**
 * Whether it must be resent now. What finished after the request is not included, so a webhook that fails again is not
 * resent a second time.
 */
export function isDue(resend: Resend, delivery: Delivery): boolean {
  return (
    delivery.client_id === resend.client_id &&
    delivery.state === resend.state &&
    !delivery.alert_pending &&
    delivery.resent_by?.resend_id !== resend.resend_id &&
    (delivery.finished_at ?? '') <= resend.created_at &&
    isAskedFor(resend, delivery)
  );
}
