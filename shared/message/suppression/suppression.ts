/**
 * Suppressions (contract 13) name the recipients to whom messages are not handed over. This file contains their rows and
 * the rules for changes.
 *
 * Rows of the table `suppressions`, by two kinds of key:
 *   (client, recipient)         no message of this client, by any sender or carrier
 *   (#from SENDER, recipient)   no message of any client by this sender: a number, its id, a pool or a Messaging Service; `*` if the
 *                               carrier chooses and does not say. Test data has no such row: every client simulates the same senders
 * The hand-over reads both in one BatchGetItem. Either row stops the message.
 *
 * The writers:
 *   keyword         one transaction writes the rows of the senders that the message came to, and the row of the client that
 *                   wrote last. The client's row names the senders, and theirs name the client: a START ends these rows too
 *   refusal         the client's row, unless the recipient or an administrator ended a suppression before. The sender's row
 *                   names the client, so that a START to the sender ends the client's row
 *   client          its own row
 *   administrator   the client's row; an end also ends the rows of the senders that the client's row names
 *
 * Each writer reads its rows, applies the functions below, and writes the rows if no revision has changed since the read.
 * If a revision has changed, the writer starts again. So a crash before the write changes nothing, and after the write
 * everything is stored. The queue delivers the notification again. The inbound message keeps its time and senders from the
 * first delivery, so a repeated keyword changes nothing, and does not undo the client's changes made meanwhile.
 *
 * Order: keywords are compared only with keywords, by the carrier's time or else the time of receipt (`keyword_at`). The
 * newest keyword counts. If two times are equal, STOP counts. A keyword that is older than another one to the same number
 * changes nothing. So a STOP counts whatever the client did meanwhile, and whatever the clocks show. A START does not end a
 * suppression that a client or an administrator made later. A pool or `*` has one row for many numbers (`numbers`). A START
 * removes only the number to which it was sent.
 *
 * A keyword of a WhatsApp user changes the rows of the id and those of the number. If the number becomes known later, a STOP
 * by the id is carried to the number, with its time.
 *
 * A malformed row suppresses everything. Every writer except a refusal replaces such a row.
 *
 * Why: docs/decisions/suppressions-are-read-at-hand-over.md
 */
import * as z from 'zod/mini';

/** The messages that a suppression stops: all except one-time passwords, or all. */
export const scopes = ['messages', 'all'] as const;
export type SuppressionScope = (typeof scopes)[number];

/** The origin of a change: a keyword of the recipient, a refusal by the carrier, the client, or an administrator. */
export const sources = ['keyword', 'carrier', 'client', 'admin'] as const;

const time = z.iso.datetime();

const fields = z.object({
  client_id: z.string(),
  /** The recipient in E.164, or the id of a WhatsApp user. */
  recipient: z.string(),
  /** The number of writes. Each write requires that it has not changed since the read. */
  revision: z.int().check(z.minimum(1)),
  /**
   * Absent if the recipient is not suppressed. Such a row is kept for some time, so that an older keyword that arrives late
   * has no effect.
   */
  scope: z.exactOptional(z.enum(scopes)),
  reason: z.exactOptional(z.string()),
  source: z.enum(sources),
  suppressed_at: z.exactOptional(time),
  changed_at: time,
  /** The newest keyword of the recipient, and its time. */
  keyword: z.exactOptional(z.enum(['opt_out', 'opt_in'])),
  keyword_at: z.exactOptional(time),
  /** On a client's row: the senders to which the recipient wrote STOP, or whose message a carrier refused. */
  senders: z.exactOptional(z.array(z.string())),
  /** On a sender's row: our numbers whose newest keyword is STOP. */
  numbers: z.exactOptional(z.array(z.string())),
  /** On a sender's row: the clients that a STOP or a refusal suppressed. A START also ends their rows. */
  clients: z.exactOptional(z.array(z.string())),
});

/** Only a row that suppresses contains the time of a suppression. If the scope is missing, somebody removed it by hand. */
const hasScope = z.refine<z.output<typeof fields>>(
  ({ scope, suppressed_at }) => (scope === undefined) === (suppressed_at === undefined),
  { path: ['scope'] },
);

const suppressionRow = z.readonly(fields.check(hasScope));

export const rowKey = z.object({ client_id: z.string(), recipient: z.string() });
export type RowKey = z.output<typeof rowKey>;

export type SuppressionRow = z.output<typeof suppressionRow>;

/** A row that suppresses. */
export type Suppression = SuppressionRow & {
  readonly scope: SuppressionScope;
  readonly suppressed_at: string;
};

export function isSuppression(row: SuppressionRow | undefined): row is Suppression {
  return row?.scope !== undefined && row.suppressed_at !== undefined;
}

const epoch = new Date(0).toISOString();
/** The revision that stands for a malformed row. No stored row has it. */
const malformed = 0;

/**
 * Parses a row. A malformed row suppresses everything, because a message after a STOP does more harm than a missing
 * message.
 */
export function effectiveSuppression(row: Readonly<Record<string, unknown>>): SuppressionRow {
  const { success, data, error } = suppressionRow.safeParse(row);
  if (success) return data;
  const fields = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ');
  return {
    client_id: String(row.client_id),
    recipient: String(row.recipient),
    revision: malformed,
    scope: 'all',
    reason: `The row is malformed (${fields}), so nothing is sent until the next keyword or change.`,
    source: 'admin',
    suppressed_at: epoch,
    changed_at: epoch,
  };
}

/** True if the message may not be handed over. One-time passwords are stopped only by the scope `all`. */
export function applies({ scope }: Suppression, isOneTimePassword: boolean): boolean {
  return scope === 'all' || !isOneTimePassword;
}

const senderPrefix = '#from ';

/** Returns the partition of a sender's rows, which is no client's id. */
export function senderKey(sender: string): string {
  return senderPrefix + sender;
}

/** A STOP or START from a recipient, sent in one message. */
export interface Keyword {
  readonly asksFor: 'opt_out' | 'opt_in';
  /** The client that wrote last, if known. A STOP that is carried to a number may have several clients. */
  readonly clients: readonly string[];
  /** The number that received the message, its id, and the pools and services that may contain it; empty for test data. */
  readonly senders: readonly string[];
  readonly number: string;
  /** The spellings of the recipient's number, and the id of a WhatsApp user. */
  readonly recipients: readonly string[];
  readonly reason: string;
  readonly at: Date;
}

/** The maximum number of clients or senders in a row. The latest are kept. */
const namesMax = 20;

export function namesWith(added: readonly string[], names: readonly string[] = []): string[] {
  return [...new Set([...added, ...names])].slice(0, namesMax);
}

/** Returns the row on which a change is based; undefined for a malformed row, which the change replaces. */
function readable(found: SuppressionRow | undefined): SuppressionRow | undefined {
  return found?.revision === malformed ? undefined : found;
}

/** True if the row already contains this keyword or a newer one. */
export function isOutdated(found: SuppressionRow | undefined, { asksFor, at }: Keyword): boolean {
  const { keyword, keyword_at } = readable(found) ?? {};
  if (keyword_at === undefined || at.toISOString() > keyword_at) return false;
  return at.toISOString() < keyword_at || asksFor === 'opt_in' || keyword === 'opt_out';
}

/** Returns the row after a keyword; undefined if nothing changes. */
export function afterKeyword(
  key: RowKey,
  found: SuppressionRow | undefined,
  keyword: Keyword,
): SuppressionRow | undefined {
  const row = readable(found);
  const said = {
    ...key,
    revision: found?.revision ?? malformed,
    source: 'keyword',
    changed_at: latest(keyword.at, row),
    keyword: keyword.asksFor,
    keyword_at: keyword.at.toISOString(),
  } as const;
  if (key.client_id.startsWith(senderPrefix)) return { ...said, ...ofSender(row, keyword) };
  return isOutdated(found, keyword) ? undefined : { ...said, ...ofClient(row, keyword) };
}

function ofSender(row: SuppressionRow | undefined, { asksFor, clients, number, reason, at }: Keyword) {
  const others = (row?.numbers ?? []).filter((each) => each !== number);
  const numbers = asksFor === 'opt_out' ? namesWith([number], others) : others;
  if (numbers.length === 0) return {};
  const added = asksFor === 'opt_out' ? clients : [];
  const suppressed_at = row?.suppressed_at ?? at.toISOString();
  return {
    ...{ numbers, clients: namesWith(added, row?.clients) },
    ...({ scope: 'messages', reason, suppressed_at } as const),
  };
}

function ofClient(row: SuppressionRow | undefined, { asksFor, senders, reason, at }: Keyword) {
  const names = { senders: namesWith(senders, row?.senders) };
  if (!isSuppression(row))
    return asksFor === 'opt_in'
      ? names
      : ({ ...names, scope: 'messages', reason, suppressed_at: at.toISOString() } as const);
  const isRequested = row.source === 'client' || row.source === 'admin';
  const isKept = isRequested && at.toISOString() <= row.changed_at;
  if (asksFor === 'opt_in' && !isKept) return names;
  // A STOP never narrows a suppression by a client or an administrator.
  const { scope, suppressed_at } = row;
  const before = { scope, suppressed_at, reason: row.reason };
  return { ...names, ...before, ...(isKept ? { source: row.source } : {}) };
}

/** A request of a client or an administrator. */
export interface SuppressionChange {
  readonly client_id: string;
  readonly recipient: string;
  readonly source: 'client' | 'admin';
  readonly at: Date;
}

/**
 * Returns the row after a request to suppress the recipient. The row gets the new scope and reason, and keeps its start
 * time.
 */
export function afterRequest(
  key: RowKey,
  found: SuppressionRow | undefined,
  {
    source,
    at,
    scope,
    reason,
  }: SuppressionChange & {
    readonly scope: SuppressionScope;
    readonly reason?: string | undefined;
  },
): SuppressionRow {
  const row = readable(found);
  const { reason: _before, ...kept } = row ?? {};
  return {
    ...kept,
    ...key,
    revision: found?.revision ?? malformed,
    ...{ scope, source, changed_at: latest(at, row) },
    reason,
    suppressed_at: row?.suppressed_at ?? at.toISOString(),
  };
}

/**
 * Returns the row after a request to end the suppression. The row keeps the keyword, so that a repeat of it does not
 * suppress the recipient again.
 */
export function afterEnd(found: SuppressionRow, { source, at }: SuppressionChange): SuppressionRow {
  const {
    scope: _scope,
    reason: _reason,
    suppressed_at: _since,
    numbers: _numbers,
    clients: _clients,
    ...kept
  } = found;
  return { ...kept, source, changed_at: latest(at, found) };
}

function latest(at: Date, row: SuppressionRow | undefined): string {
  const now = at.toISOString();
  return row !== undefined && row.changed_at > now ? row.changed_at : now;
}

/**
 * True if the recipient or an administrator ended a suppression before. After that, a refusal does not count, because it
 * does not show when the recipient opted out at the carrier.
 */
export function hasEnded(row: SuppressionRow | undefined): boolean {
  return row !== undefined && !isSuppression(row) && (row.source === 'keyword' || row.source === 'admin');
}

/**
 * Returns the row after a refusal; undefined if nothing changes. The sender's row only names the client, because the
 * carrier itself stops other clients' messages.
 */
export function afterRefusal(
  key: RowKey,
  found: SuppressionRow | undefined,
  {
    clientId,
    sender,
    at,
  }: {
    readonly clientId: string;
    /** The sender of the message. */
    readonly sender: string;
    readonly at: Date;
  },
): SuppressionRow | undefined {
  const row = {
    revision: malformed,
    source: 'carrier',
    ...found,
    ...key,
    changed_at: latest(at, found),
  } as const;
  if (key.client_id.startsWith(senderPrefix)) {
    const isUnchanged =
      found !== undefined && (readable(found) === undefined || found.clients?.includes(clientId));
    return isUnchanged === true ? undefined : { ...row, clients: namesWith([clientId], found?.clients) };
  }
  if (isSuppression(found)) return undefined;
  return {
    ...row,
    senders: namesWith([sender], found?.senders),
    ...({
      scope: 'messages',
      reason: 'The carrier reports that the recipient opted out',
      source: 'carrier',
    } as const),
    suppressed_at: at.toISOString(),
  };
}
