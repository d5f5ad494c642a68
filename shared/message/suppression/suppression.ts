/**
 * Recipients to whom a client's messages are not handed over, because the person or a carrier said so, or the client
 * itself (contract, section 13). A row of `suppressions`.
 *
 * Why: docs/decisions/suppressions-are-read-at-hand-over.md
 */
import * as z from 'zod/mini';
import type { Message } from '../message.ts';

/** Which messages are not sent: all but one-time passwords, or all. */
export const scopes = ['messages', 'all'] as const;
export type SuppressionScope = (typeof scopes)[number];

/** The origin of a change: a text of the person, a refusal of the carrier, the client, or an administrator. */
export const sources = ['keyword', 'carrier', 'client', 'admin'] as const;
type SuppressionSource = (typeof sources)[number];

const time = z.iso.datetime();

const fields = z.object({
  client_id: z.string(),
  /** E.164, or the id of a WhatsApp user whose number is not known. */
  recipient: z.string(),
  /** Absent: not suppressed. The row is kept for a while, so that an older change that arrives late has no effect. */
  scope: z.exactOptional(z.enum(scopes)),
  reason: z.exactOptional(z.string()),
  source: z.enum(sources),
  suppressed_at: z.exactOptional(time),
  /**
   * The time of the person's newest word. A carrier's refusal has none: it keeps the time of the change before, or
   * 1970.
   */
  changed_at: time,
  /**
   * The time of what the client ended, or 1970 where nothing was suppressed. A START between it and that end, of which
   * the gateway learns later, still counts. Absent after any other change.
   */
  word_at: z.exactOptional(time),
  /**
   * The cause of the latest change between suppressed and not: the id of an inbound message, a refused message, or a
   * request.
   */
  cause: z.string().check(z.minLength(1)),
});

/** A row that suppresses nothing has no time of a suppression: without a scope, it was taken away by a person. */
const hasScope = z.refine<z.output<typeof fields>>(
  ({ scope, suppressed_at }) => scope !== undefined || suppressed_at === undefined,
  { path: ['scope'] },
);

const suppressionRow = z.readonly(fields.check(hasScope));

export const rowKey = z.object({ client_id: z.string(), recipient: z.string() });
export type RowKey = z.output<typeof rowKey>;

export type SuppressionRow = z.output<typeof suppressionRow>;

/** A row that suppresses. */
export type Suppression = SuppressionRow & Required<Pick<SuppressionRow, 'scope' | 'suppressed_at'>>;

export function isSuppression(row: SuppressionRow | undefined): row is Suppression {
  return row?.scope !== undefined && row.suppressed_at !== undefined;
}

export const epoch = new Date(0).toISOString();

/** The cause of a row that cannot be read; no change has it. */
const unreadable = '';

/** Whether a row says something about its person; if not, it suppresses everything, and no text ends it. */
export function isReadable({ cause }: Pick<SuppressionRow, 'cause'>): boolean {
  return cause !== unreadable;
}

/**
 * The row as it counts for messages. A row that a person made invalid suppresses everything: it may be of somebody who
 * opted out, and a message that is missing does less harm than one that must not be sent. The same holds for one that
 * has a scope, but not since when.
 */
export function effectiveSuppression(row: Readonly<Record<string, unknown>>): SuppressionRow {
  const { success, data, error } = suppressionRow.safeParse(row);
  if (success) return data.scope === undefined ? data : { suppressed_at: data.changed_at, ...data };
  const fields = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ');
  const key = { client_id: String(row.client_id), recipient: String(row.recipient) };
  const reason = `The row cannot be read (${fields}), so nothing is sent until it is repaired or deleted.`;
  return {
    ...key,
    scope: 'all',
    reason,
    source: 'admin',
    suppressed_at: epoch,
    changed_at: epoch,
    cause: unreadable,
  };
}

/** Whether a message may not be handed over; one-time passwords are sent unless everything is suppressed. */
export function applies({ scope }: Pick<Suppression, 'scope'>, isOneTimePassword: boolean): boolean {
  return scope === 'all' || !isOneTimePassword;
}

export interface SuppressionChange {
  readonly client_id: string;
  readonly recipient: string;
  /** Undefined: messages are sent again. */
  readonly scope: SuppressionScope | undefined;
  readonly reason?: string | undefined;
  readonly source: SuppressionSource;
  readonly at: Date;
  /** A repeat of the same change has the same. */
  readonly cause: string;
  /**
   * A carrier refused a message: the person opted out there at some earlier time, which is not known. It begins a
   * suppression, and has no effect where the person or an administrator has ended one, also if that is learned later.
   */
  readonly isRefusal?: boolean;
}

/** Those whose end of a suppression a carrier's refusal does not undo. */
export const lastingSources: readonly SuppressionSource[] = ['keyword', 'admin'];

export type Changed =
  /** Messages are now suppressed that were not, or the other way round; also where this is a repeat of that change. */
  | { readonly outcome: 'changed'; readonly row: SuppressionRow }
  /** It was so before; scope and reason are those of the change. */
  | { readonly outcome: 'same'; readonly row: SuppressionRow }
  /** A later change has been made, or the row cannot be read: the row as it counts. */
  | { readonly outcome: 'outdated'; readonly row: SuppressionRow };

/**
 * A carrier refused a message because its recipient opted out there: the gateway stops sending to them too, unless the
 * recipient or an administrator ended the suppression. The event follows from the message's state. Returns whether the
 * recipient is suppressed now.
 */
export function optOutAtCarrier(suppressions: { change(change: SuppressionChange): Promise<Changed> }) {
  return async ({ client_id, recipient, message_id }: Message, at: Date): Promise<boolean> => {
    const { outcome } = await suppressions.change({
      client_id,
      recipient,
      scope: 'messages',
      reason: 'The carrier reports that the recipient opted out',
      source: 'carrier',
      at,
      cause: message_id,
      isRefusal: true,
    });
    return outcome !== 'outdated';
  };
}
