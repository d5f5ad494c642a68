/**
 * Decides what a message becomes that was lost after the time of the restore: its row at that time, and what surviving
 * tables and the stream prove of it since. What they do not prove is not guessed: whether such a message was handed over is `unknown`.
 */

import * as z from 'zod/mini';
import { type Message, messageSchema, type Status, statuses } from '../message/message.ts';
import { jsonIn } from '../platform/object-fields.ts';

/** The states that a message can have entered after the time of the restore. */
const laterStates = ['sent', 'failed', 'expired', 'delivered', 'read', 'canceled'] as const;
type LaterState = (typeof laterStates)[number];

/** What surviving tables and the stream prove: when the message entered a state, ISO 8601. */
interface MessageEvidence {
  readonly states: Readonly<Partial<Record<LaterState, string>>>;
  readonly error_code?: string | undefined;
  readonly error_message?: string | undefined;
}

/** A message to which something happened after the time. Only the stream tells more than states. */
export interface KnownMessage extends MessageEvidence {
  readonly client_id: string;
  readonly accepted_at?: string | undefined;
  /** The last one that is known. */
  readonly status?: Status | undefined;
  /** How many attempts to hand it over were recorded. */
  readonly attempts?: number | undefined;
}

/**
 * `final`: nothing was due any more. `changed`: it is proven what became of it. `sent`: its receipt is awaited.
 * `scheduled`: its time has not come. `unknown`: it was due, and nothing proves whether it was handed over.
 */
export type MessageGroup = 'final' | 'changed' | 'sent' | 'scheduled' | 'unknown';

/**
 * @param stoppedAt - when the workers were stopped: nothing was handed over later
 * @returns also the attributes that differ from the row at the time of the restore
 */
export function judgeMessage(
  atTime: Message,
  { states, error_code, error_message }: MessageEvidence = { states: {} },
  stoppedAt: Date,
): { readonly group: MessageGroup; readonly changes: Readonly<Record<string, string>> } {
  const entered = laterStates.filter(
    (state) => states[state] !== undefined && atTime[`${state}_at`] === undefined,
  );
  if (entered.length === 0) return { group: groupOf(atTime, stoppedAt), changes: {} };
  const times = Object.fromEntries(entered.map((state) => [`${state}_at`, states[state] ?? '']));
  const status = latestOf([atTime.status, ...entered]);
  const arrived = status === 'delivered' || status === 'read';
  const proof = states.delivered ?? states.read;
  return {
    group: 'changed',
    changes: {
      ...times,
      status,
      // A delivered message was sent, also where only the later event survives.
      ...(arrived && atTime.sent_at === undefined && states.sent === undefined && proof !== undefined
        ? { sent_at: proof }
        : {}),
      ...(arrived || error_code === undefined ? {} : { error_code }),
      ...(arrived || error_message === undefined ? {} : { error_message }),
    },
  };
}

function groupOf({ status, scheduled_at, created_at }: Message, stoppedAt: Date): MessageGroup {
  switch (status) {
    case 'scheduled':
      return (scheduled_at ?? created_at) > stoppedAt.toISOString() ? 'scheduled' : 'unknown';
    case 'queued':
    case 'sending':
      return 'unknown';
    case 'sent':
      return 'sent';
    default:
      return 'final';
  }
}

/** The states are listed in the order in which one message can enter them. */
export function latestOf(entered: readonly Status[]): Status {
  return entered.reduce((latest, state) =>
    statuses.indexOf(state) > statuses.indexOf(latest) ? state : latest,
  );
}

const lasting = [
  'client_id',
  'channel',
  'recipient',
  'created_at',
  'expires_at',
  'text',
  'batch_id',
] as const;

/** Returns the present row as a message if it can have followed from the one at the time of the restore. */
export function laterRow(present: unknown, atTime: Message): Message | undefined {
  const parsed = messageSchema().safeParse(present);
  if (!parsed.success) return undefined;
  const row = parsed.data;
  const sameMessage = lasting.every((field) => row[field] === atTime[field]);
  const keptTimes = statuses.every((status) => {
    const time = status === 'scheduled' ? undefined : atTime[`${status}_at`];
    return time === undefined || (status !== 'scheduled' && row[`${status}_at`] === time);
  });
  const isLater = statuses.indexOf(row.status) >= statuses.indexOf(atTime.status);
  return sameMessage && keptTimes && isLater ? row : undefined;
}

const time = z.iso.datetime();

/** What a spoilt row still proves: the states whose times are in it. */
export function evidenceInRow(row: unknown): MessageEvidence {
  const fields = (row ?? {}) as Readonly<Record<string, unknown>>;
  const known = laterStates.flatMap((state) => {
    const at = time.safeParse(fields[`${state}_at`]);
    return at.success ? [[state, at.data] as const] : [];
  });
  return { states: Object.fromEntries(known) };
}

/** What both prove; where both have an error, the other one's. */
export function mergedEvidence(one: MessageEvidence, other: MessageEvidence | undefined): MessageEvidence {
  return {
    states: { ...one.states, ...other?.states },
    error_code: other?.error_code ?? one.error_code,
    error_message: other?.error_message ?? one.error_message,
  };
}

const eventBody = z.object({
  timestamp: time,
  data: z.object({
    status: z.enum(laterStates),
    test: z.optional(z.boolean()),
    error_code: z.optional(z.string()),
    error_message: z.optional(z.string()),
  }),
});

/** What a webhook's body proves of its message; undefined if it is of no state. */
export function evidenceInBody(body: string): MessageEvidence | undefined {
  const parsed = eventBody.safeParse(jsonIn(body));
  if (!parsed.success || parsed.data.data.test === true) return undefined;
  const { timestamp, data } = parsed.data;
  const { error_code, error_message } = data;
  return { states: { [data.status]: timestamp }, error_code, error_message };
}
