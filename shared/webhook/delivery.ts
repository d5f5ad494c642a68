/** A webhook delivery: one row with the exact bytes to post, the state, the attempts, and the time of the next one. */
import * as z from 'zod/mini';

export const deliveryStates = ['pending', 'attempting', 'retry_scheduled', 'acknowledged', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The states from which each state may be entered. A manual resend makes a finished delivery `pending` again. */
export const deliveryTransitions: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: ['acknowledged', 'failed'],
  attempting: ['pending', 'retry_scheduled', 'attempting'],
  retry_scheduled: ['attempting'],
  acknowledged: ['attempting'],
  failed: ['attempting'],
};

const attemptErrors = [
  'dns',
  'refused',
  'tls',
  'timeout',
  'not_200',
  'redirect',
  'blocked',
  'reset',
  'endpoint_disabled',
  'endpoint_deleted',
] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** The client disabled or deleted the endpoint after the event: nothing is posted, and no retry follows. */
export type WithdrawnError = Extract<AttemptError, 'endpoint_disabled' | 'endpoint_deleted'>;

export function isWithdrawn(error: AttemptError | undefined): error is WithdrawnError {
  return error === 'endpoint_disabled' || error === 'endpoint_deleted';
}

/** Each lane has its own queue and concurrency, so that slow endpoints delay only each other. */
export type Lane = 'fast' | 'slow';

const time = z.iso.datetime();
const milliseconds = z.number().check(z.nonnegative());

export const attemptSchema = z.readonly(
  z.object({
    number: z.int().check(z.positive()),
    trigger: z.enum(['automatic', 'manual', 'sweep']),
    due_at: time,
    started_at: time,
    ended_at: time,
    /** From `due_at` to `started_at`. */
    lateness_ms: z.number(),
    dns_ms: z.optional(milliseconds),
    connect_ms: z.optional(milliseconds),
    tls_ms: z.optional(milliseconds),
    first_byte_ms: z.optional(milliseconds),
    total_ms: milliseconds,
    reused_connection: z.boolean(),
    /** The address connected to. */
    address: z.optional(z.string()),
    status: z.optional(z.int()),
    /** Signatures, cookies and credentials are replaced by `[redacted]`. */
    request_headers: z.record(z.string(), z.string()),
    response_headers: z.record(z.string(), z.string()),
    /** The first 4 KiB of the response, as UTF-8. */
    response_body: z.string(),
    error: z.optional(z.enum(attemptErrors)),
    error_message: z.optional(z.string()),
    /** Without headers and with shortened texts, to make room for newer attempts. */
    shortened: z.optional(z.boolean()),
    /** When the next attempt is due; absent after the last. */
    next_due_at: z.optional(time),
  }),
);
export type Attempt = z.output<typeof attemptSchema>;

export const deliverySchema = z.readonly(
  z.object({
    delivery_id: z.string(),
    client_id: z.string(),
    /** Absent if the event is not one of a message. */
    message_id: z.optional(z.string()),
    /** Absent for the URL of a request or an account. */
    endpoint_id: z.optional(z.string()),
    event: z.string(),
    /** That of an endpoint is the one of its last attempt. */
    url: z.string(),
    /** The bytes of every attempt, as UTF-8. */
    body: z.string(),
    state: z.enum(deliveryStates),
    lane: z.enum(['fast', 'slow']),
    /** The number of the next or current attempt; of the last one if finished. */
    attempt_number: z.int().check(z.positive()),
    attempt_trigger: z.enum(['automatic', 'manual']),
    /** The attempt never starts earlier. */
    attempt_due_at: time,
    attempts: z.readonly(z.array(attemptSchema)),
    /** Until when a worker holds the attempt; after that the worker is considered dead. */
    lease_until: z.optional(time),
    /** How many workers died during this attempt. */
    interruptions: z.int().check(z.nonnegative()),
    /** The last request to resend many that included it. */
    resent_by: z.optional(
      z.readonly(
        z.object({
          resend_id: z.string(),
          /** When it had finished until then. */
          finished_at: time,
          /** The delivery of the message's event before it, to the same destination, which this one must not overtake. */
          after: z.optional(z.string()),
        }),
      ),
    ),
    /** Failed, and the alert is not yet sent. */
    alert_pending: z.optional(z.boolean()),
    created_at: time,
    finished_at: z.optional(time),
    purge_at: z.int(),
    /** Changes with each write; the condition of the next write. */
    revision: z.string(),
  }),
);
export type Delivery = z.output<typeof deliverySchema>;
