/**
 * Suppressions (contract 13): to whom messages are not handed over, and the rules by which that changes.
 *
 * Rows of the table `suppressions`, by two kinds of key:
 *   (client, recipient)         no message of this client, by any sender or carrier
 *   (#from SENDER, recipient)   no message of any client by this sender: a number, its id, a pool or a Messaging Service; `*` if the
 *                               carrier chooses and does not say. Test data has none: every client simulates the same senders
 * The hand-over reads both in one BatchGetItem. Either one stops the message.
 *
 * These write:
 *   keyword         one transaction: the rows of the senders that the message came to, and that of the client that wrote last. The
 *                   row of the client names the senders, and those of the senders name the client: a START ends these clients' rows too
 *   refusal         the client's row, unless the recipient or an administrator ended one before. The sender's row names the client, so
 *                   that a START ends it
 *   client          its own row
 *   administrator   the client's row; an end also ends the rows of the senders that the client's row names
 *
 * Each writer reads its rows, applies the functions below, and puts them on the condition that each still has the revision that it
 * read; if not, it begins again. So a crash before the write leaves nothing, and one after it leaves everything. The queue delivers
 * the notification again: the inbound message has its time and senders from the first delivery, and the same keyword changes nothing
 * twice, so it does not undo what the client did meanwhile.
 *
 * Order: keywords are compared with keywords only, by the carrier's time, else the time of receipt (`keyword_at`): the newest wins, and
 * STOP wins if two are equal. A keyword that is older than another one to the same number changes no row. So a STOP counts whatever
 * the client did meanwhile, and by whichever clock. A START does not end what a client or an administrator suppressed after it.
 * A pool or `*` has one row for many numbers: a START ends it only if it came to the same number as the STOP.
 *
 * A malformed row suppresses everything. Every writer but a refusal replaces it.
 *
 * Why: docs/decisions/suppressions-are-read-at-hand-over.md
 */
import * as z from 'zod/mini';
import { withoutUndefined } from '../../platform/object-fields.ts';

/** Which messages are not sent: all but one-time passwords, or all. */
export const scopes = ['messages', 'all'] as const;
export type SuppressionScope = (typeof scopes)[number];

/** The origin of a change: a text of the recipient, a refusal of the carrier, the client, or an administrator. */
export const sources = ['keyword', 'carrier', 'client', 'admin'] as const;

const time = z.iso.datetime();

const fields = z.object({
  client_id: z.string(),
  /** E.164, or the id of a WhatsApp user whose number is not known. */
  recipient: z.string(),
  /** Counts the writes, so that each is conditional on the row that was read. */
  revision: z.int(),
  /** Absent: not suppressed. The row is kept for a while, so that an older keyword that arrives late has no effect. */
  scope: z.exactOptional(z.enum(scopes)),
  reason: z.exactOptional(z.string()),
  source: z.enum(sources),
  suppressed_at: z.exactOptional(time),
  changed_at: time,
  /** The newest keyword of the recipient, and its time. */
  keyword: z.exactOptional(z.enum(['opt_out', 'opt_in'])),
  keyword_at: z.exactOptional(time),
  /** The number of ours that the newest keyword came to. */
  number: z.exactOptional(z.string()),
  /** On a client's row: the senders to which the recipient wrote STOP, and those that a carrier refused. */
  senders: z.exactOptional(z.array(z.string())),
  /** On a sender's row: the clients that its STOP or a refusal suppressed, whose rows a START ends, too. */
  clients: z.exactOptional(z.array(z.string())),
  /** The latest change was made by this: the id of an inbound message, of a refused message, or of a request. */
  cause: z.string(),
});

/** A row that suppresses nothing has no time of a suppression: without a scope, it was taken away by hand. */
const hasScope = z.refine<z.output<typeof fields>>(
  ({ scope, suppressed_at }) => (scope === undefined) === (suppressed_at === undefined),
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

const epoch = new Date(0).toISOString();
/** The cause of a row that is malformed; no change has it. */
const malformed = '';

/** Parses a row. A malformed one suppresses everything: a missing message does less harm than one after a STOP. */
export function effectiveSuppression(row: Readonly<Record<string, unknown>>): SuppressionRow {
  const { success, data, error } = suppressionRow.safeParse(row);
  if (success) return data;
  const fields = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ');
  return {
    client_id: String(row.client_id),
    recipient: String(row.recipient),
    revision: 0,
    scope: 'all',
    reason: `The row is malformed (${fields}), so nothing is sent until the next keyword or change.`,
    source: 'admin',
    suppressed_at: epoch,
    changed_at: epoch,
    cause: malformed,
  };
}

/** True if a message may not be handed over. One-time passwords are sent unless everything is suppressed. */
export function applies({ scope }: Pick<Suppression, 'scope'>, isOneTimePassword: boolean): boolean {
  return scope === 'all' || !isOneTimePassword;
}

const senderPrefix = '#from ';

/** The partition of a sender's rows. No client has such an id. */
export function senderKey(sender: string): string {
  return senderPrefix + sender;
}

/** A recipient's request, made by one message. */
export interface Keyword {
  readonly asksFor: 'opt_out' | 'opt_in';
  /** The client that wrote last; undefined if nobody is known to have written. */
  readonly clientId: string | undefined;
  /** The number that the message came to, its id, and the pools and services that may contain it; none of test data. */
  readonly senders: readonly string[];
  readonly number: string;
  /** The spellings of the recipient's number. */
  readonly recipients: readonly string[];
  readonly reason: string;
  readonly at: Date;
  /** The id of the inbound message. */
  readonly cause: string;
}

/** A row names no more clients or senders; the latest ones stay. */
const namesMax = 20;

function namesWith(added: readonly string[], names: readonly string[] = []): string[] {
  return [...new Set([...added, ...names])].slice(0, namesMax);
}

/** True if a newer keyword came to the same number, or this one has been applied. */
export function isOutdated(row: SuppressionRow | undefined, { asksFor, at }: Keyword): boolean {
  return row !== undefined && !isMalformed(row) && !isNewKeyword(row, asksFor, at.toISOString());
}

/** Returns the row after a keyword; undefined if nothing changes. */
export function afterKeyword(
  key: RowKey,
  found: SuppressionRow | undefined,
  keyword: Keyword,
): SuppressionRow | undefined {
  const { asksFor, clientId, senders, number, reason, cause } = keyword;
  if (isOutdated(found, keyword)) return undefined;
  const row = found !== undefined && isMalformed(found) ? undefined : found;
  const at = keyword.at.toISOString();
  const isOfSender = key.client_id.startsWith(senderPrefix);
  const isOfAnother = isSuppression(row) && row.number !== undefined && row.number !== number;
  if (isOfSender && asksFor === 'opt_in' && isOfAnother) return undefined;
  const isLater = row === undefined || at > row.changed_at;
  const said = {
    ...key,
    revision: found?.revision ?? 0,
    changed_at: isLater ? at : row.changed_at,
    keyword: asksFor,
    keyword_at: at,
    number,
    cause,
  };
  const isKept = isSuppression(row) && !isLater && isRequested(row);
  if (asksFor === 'opt_in' && !isKept)
    return { ...said, source: 'keyword', ...(isOfSender ? {} : { senders: [...senders] }) };
  const named = isOfSender
    ? { clients: namesWith(clientId === undefined ? [] : [clientId], row?.clients) }
    : { senders: namesWith(senders, row?.senders) };
  if (!isSuppression(row))
    return { ...said, ...named, source: 'keyword', scope: 'messages', reason, suppressed_at: at };
  // A STOP never narrows what a client or an administrator suppressed.
  const { scope, suppressed_at, source } = row;
  const before = withoutUndefined({ scope, suppressed_at, reason: row.reason });
  return { ...said, ...named, ...before, source: isKept ? source : 'keyword' };
}

function isMalformed({ cause }: SuppressionRow): boolean {
  return cause === malformed;
}

function isNewKeyword({ keyword, keyword_at }: SuppressionRow, asksFor: string, at: string): boolean {
  if (keyword_at === undefined || at > keyword_at) return true;
  return at === keyword_at && asksFor === 'opt_out' && keyword === 'opt_in';
}

function isRequested({ source }: SuppressionRow): boolean {
  return source === 'client' || source === 'admin';
}

/** A request of a client or an administrator. */
export interface SuppressionChange {
  readonly client_id: string;
  readonly recipient: string;
  readonly source: 'client' | 'admin';
  readonly at: Date;
  /** The id of the request. */
  readonly cause: string;
}

export interface Wanted {
  readonly scope: SuppressionScope;
  readonly reason?: string | undefined;
}

/** Returns the row after a request to suppress the recipient: it takes the scope and the reason, and keeps the beginning. */
export function afterRequest(
  key: RowKey,
  found: SuppressionRow | undefined,
  { source, at, cause }: SuppressionChange,
  { scope, reason }: Wanted,
): SuppressionRow {
  const row = found !== undefined && isMalformed(found) ? undefined : found;
  const { reason: _before, ...kept } = row ?? {};
  const changed_at = latest(at, row);
  return {
    ...kept,
    ...key,
    revision: found?.revision ?? 0,
    ...{ scope, source, changed_at, cause },
    ...withoutUndefined({ reason }),
    suppressed_at: row?.suppressed_at ?? at.toISOString(),
  };
}

/** Returns the row after a request to send to the recipient again. It keeps the keyword, which a repeat must not bring back. */
export function afterEnd(found: SuppressionRow, { source, at, cause }: SuppressionChange): SuppressionRow {
  const { scope: _scope, reason: _reason, suppressed_at: _since, ...kept } = found;
  return { ...kept, source, changed_at: latest(at, found), cause };
}

function latest(at: Date, row: SuppressionRow | undefined): string {
  const now = at.toISOString();
  return row !== undefined && row.changed_at > now ? row.changed_at : now;
}

/**
 * True if the recipient or an administrator ended a suppression. A refusal does not count after that: it does not say when the
 * recipient opted out at the carrier.
 */
export function hasEnded(row: SuppressionRow | undefined): boolean {
  return row !== undefined && !isSuppression(row) && (row.source === 'keyword' || row.source === 'admin');
}

/**
 * Returns the row after a carrier refused a message because its recipient opted out there; undefined if nothing changes. The row of the
 * sender only names the client: the carrier stops the others itself.
 */
export function afterRefusal(
  key: RowKey,
  found: SuppressionRow | undefined,
  { clientId, sender, messageId, at }: Refusal,
): SuppressionRow | undefined {
  const row = { revision: 0, ...found, ...key };
  if (key.client_id.startsWith(senderPrefix)) {
    const isNamed = found !== undefined && (isMalformed(found) || found.clients?.includes(clientId));
    const begun = { source: 'carrier', changed_at: at.toISOString(), cause: messageId } as const;
    return isNamed === true
      ? undefined
      : { ...begun, ...row, clients: namesWith([clientId], found?.clients) };
  }
  if (isSuppression(found)) return undefined;
  return {
    ...row,
    senders: namesWith([sender], found?.senders),
    scope: 'messages',
    reason: 'The carrier reports that the recipient opted out',
    source: 'carrier',
    suppressed_at: at.toISOString(),
    changed_at: latest(at, found),
    cause: messageId,
  };
}

/** A carrier's refusal of a message to a recipient who opted out there. */
export interface Refusal {
  readonly clientId: string;
  /** The sender of the message. */
  readonly sender: string;
  readonly messageId: string;
  readonly at: Date;
}
