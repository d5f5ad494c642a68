/**
 * Reads and writes the table `suppressions`, with the partition `client_id` and the sort key `recipient`. `suppression.ts`
 * describes the rows, their writers and each change.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { standardError } from '../../contract/errors.ts';
import { keptDays, modeOf } from '../../contract/mode.ts';
import { batchRead, type ReadOptions, type Row } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { retryConflicts } from '../../platform/retry.ts';
import { anySender, fromOf } from '../attempt.ts';
import type { Message } from '../message.ts';
import {
  afterEnd,
  afterKeyword,
  afterRefusal,
  afterRequest,
  applies,
  effectiveSuppression,
  hasEnded,
  isOutdated,
  isSuppression,
  type Keyword,
  namesWith,
  type RowKey,
  rowKey,
  type Suppression,
  type SuppressionChange,
  type SuppressionRow,
  type SuppressionScope,
  senderKey,
} from './suppression.ts';

/** Returns the suppression in a client's own row, by default with an eventually consistent read. */
export async function suppressionOf(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  client_id: string,
  recipient: string,
  { consistent: ConsistentRead }: ReadOptions = { consistent: false },
): Promise<Suppression | undefined> {
  const TableName = env.SUPPRESSIONS_TABLE;
  const { Item } = await db.send(
    new GetCommand({ TableName, Key: { client_id, recipient }, ConsistentRead }),
  );
  const row = Item && effectiveSuppression(Item);
  return isSuppression(row) ? row : undefined;
}

/**
 * Returns the keys of the rows that can stop a message.
 *
 * @param from - the sender of the message; undefined if the carrier chooses
 */
export function suppressionKeysOf({ client_id, recipient }: Message, from: string | undefined): RowKey[] {
  return partitionsOf(client_id, from).map((each) => ({ client_id: each, recipient }));
}

/**
 * Returns the recipients to whom one client's messages are suppressed. Either all of these messages are one-time passwords,
 * or none. Reads the same rows as the hand-over, many in one call.
 */
export async function suppressedAmong(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  messages: readonly Message[],
): Promise<ReadonlySet<string>> {
  const keys = messages.flatMap((message) => suppressionKeysOf(message, fromOf(message)));
  return suppressedIn(await batchRead(db, env.SUPPRESSIONS_TABLE, keys), messages);
}

/** Returns the recipients whose messages these rows stop. Either all of these messages are one-time passwords, or none. */
export function suppressedIn(rows: readonly Row[], messages: readonly Message[]): ReadonlySet<string> {
  const isOneTimePassword = messages.some(({ otp }) => otp !== undefined);
  const suppressed = rows
    .map(effectiveSuppression)
    .filter((row) => isSuppression(row) && applies(row, isOneTimePassword));
  return new Set(suppressed.map(({ recipient }) => recipient));
}

/**
 * Returns a page of a client's suppressions, sorted by number.
 *
 * @param after - the last recipient of the previous page
 */
export async function listClientSuppressions(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  clientId: string,
  limit: number,
  after: string | undefined,
): Promise<{
  readonly suppressions: readonly Suppression[];
  /** Present if more suppressions may follow. */
  readonly nextAfter?: string;
}> {
  const found: Suppression[] = [];
  let start = after === undefined ? undefined : { client_id: clientId, recipient: after };
  do {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new QueryCommand({
        TableName: env.SUPPRESSIONS_TABLE,
        KeyConditionExpression: 'client_id = :client',
        // A row without a scope, a start and a change is malformed, so it suppresses everything.
        FilterExpression:
          'attribute_exists(#scope) OR attribute_exists(suppressed_at) OR attribute_not_exists(changed_at)',
        ExpressionAttributeNames: { '#scope': 'scope' },
        ExpressionAttributeValues: { ':client': clientId },
        Limit: limit,
        ExclusiveStartKey: start,
      }),
    );
    found.push(...Items.map(effectiveSuppression).filter(isSuppression));
    start = LastEvaluatedKey === undefined ? undefined : rowKey.parse(LastEvaluatedKey);
  } while (start !== undefined && found.length < limit);
  // The last query may have read more rows than fit the page, so the next page begins after the last row of this page.
  const suppressions = found.slice(0, limit);
  const nextAfter = found.length > limit ? suppressions.at(-1)?.recipient : start?.recipient;
  return { suppressions, nextAfter };
}

/** Applies a keyword to the rows of the senders and of the client. A repeat changes nothing. */
export async function applyKeyword(ctx: Context<'SUPPRESSIONS_TABLE'>, keyword: Keyword): Promise<void> {
  const { asksFor, clients: own, senders, recipients, number } = keyword;
  const keysOf = (ids: readonly string[]) =>
    ids.flatMap((client_id) => recipients.map((recipient) => ({ client_id, recipient })));
  const read = async () => {
    const ofSenders = await readForChange(ctx, keysOf(senders.map(senderKey)));
    const named = ofSenders.flatMap(({ found }) =>
      found?.numbers?.some((each) => each !== number) === true ? [] : (found?.clients ?? []),
    );
    // A transaction has at most 100 rows, and a recipient has at most three names.
    const clients = asksFor === 'opt_in' ? namesWith(own, named) : own;
    return [...ofSenders, ...(await readForChange(ctx, keysOf(clients)))];
  };
  const exact = senderKey(number);
  await changeRows(ctx, read, (rows) =>
    rows.some(({ key, found }) => key.client_id === exact && isOutdated(found, keyword))
      ? []
      : rows.map(({ key, found }) => afterKeyword(key, found, keyword)),
  );
}

/**
 * Applies the STOPs of a WhatsApp user to the user's number, which has become known to our sender. A STOP that is older than
 * a keyword of the number changes nothing, and neither does repeating it.
 *
 * @param recipients - the spellings of the number
 */
export async function carryStops(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  {
    user,
    recipients,
    sender,
    clientId,
  }: {
    readonly user: string;
    readonly recipients: readonly string[];
    readonly sender: string;
    readonly clientId: string;
  },
): Promise<void> {
  const stopsIn = async (ids: readonly string[]) => {
    const rows = await readForChange(
      ctx,
      ids.map((client_id) => ({ client_id, recipient: user })),
    );
    return rows.flatMap(({ found }) => (isStop(found) ? [found] : []));
  };
  const carry = ({ reason = '', keyword_at }: Stop, to: Pick<Keyword, 'clients' | 'senders' | 'number'>) =>
    applyKeyword(ctx, { asksFor: 'opt_out', ...to, recipients, reason, at: new Date(keyword_at) });
  if (modeOf(clientId) === 'test') {
    for (const stop of await stopsIn([clientId]))
      await carry(stop, { clients: [clientId], senders: [], number: sender });
    return;
  }
  const [ofSender] = await readForChange(ctx, [{ client_id: senderKey(sender), recipient: user }]);
  for (const number of ofSender?.found?.numbers ?? [])
    for (const stop of await stopsIn([senderKey(number)])) {
      // A client may have ended its own suppression.
      const clients = (await stopsIn(stop.clients ?? [])).map(({ client_id }) => client_id);
      await carry(stop, { clients, senders: [number, sender], number });
    }
}

type Stop = SuppressionRow & { readonly keyword_at: string };

function isStop(row: SuppressionRow | undefined): row is Stop {
  return isSuppression(row) && row.keyword === 'opt_out' && row.keyword_at !== undefined;
}

/** Suppresses the recipient for the client. A repeat changes only the scope and the reason. */
export async function storeSuppression(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  wanted: SuppressionChange & {
    readonly scope: SuppressionScope;
    readonly reason?: string | undefined;
  },
): Promise<SuppressionRow> {
  const key = keyOf(wanted);
  const [row] = await changeRows(
    ctx,
    () => readForChange(ctx, [key]),
    ([one]) => [afterRequest(key, one?.found, wanted)],
  );
  if (row === undefined) throw new Error('a suppressed recipient has no row');
  return row;
}

/**
 * Ends the client's own suppression. An administrator's request also ends the suppressions of the senders in the client's
 * row.
 *
 * @returns undefined if nothing was suppressed; otherwise the senders whose rows still suppress
 * @throws GatewayError `concurrent_change` if the recipient wrote a keyword or the row was changed meanwhile
 */
export async function removeSuppression(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  ending: SuppressionChange,
): Promise<{ readonly stillFrom: readonly string[] } | undefined> {
  const own = await readForChange(ctx, [keyOf(ending)]);
  const senders = own[0]?.found?.senders ?? [];
  const named = await readForChange(
    ctx,
    senders.map((sender) => ({ ...keyOf(ending), client_id: senderKey(sender) })),
  );
  const isAdmin = ending.source === 'admin';
  const ended = [...own, ...(isAdmin ? named : [])].flatMap((one) =>
    isSuppression(one.found) ? [{ ...one, after: afterEnd(one.found, ending) }] : [],
  );
  if (ended.length === 0) return undefined;
  if (!(await putRows(ctx, ended))) throw standardError('concurrent_change');
  return { stillFrom: senders.filter((_, index) => !isAdmin && isSuppression(named[index]?.found)) };
}

/**
 * Suppresses the recipient of a message after the carrier refused it for an opt-out, unless the recipient has opted in
 * since. Returns true if the recipient is suppressed now. The call can be repeated.
 */
export async function suppressAfterRefusal(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  message: Message,
  at: Date,
): Promise<boolean> {
  const from = fromOf(message);
  const refusal = { clientId: message.client_id, sender: from ?? anySender, at };
  const keys = suppressionKeysOf(message, from);
  const [row] = await changeRows(
    ctx,
    () => readForChange(ctx, keys),
    (rows) =>
      rows.some(({ found }) => hasEnded(found))
        ? []
        : rows.map(({ key, found }) => afterRefusal(key, found, refusal)),
  );
  return isSuppression(row);
}

/** Returns the partitions of the rows that can stop messages from the sender. */
function partitionsOf(clientId: string, from: string | undefined): readonly string[] {
  return modeOf(clientId) === 'test' ? [clientId] : [clientId, senderKey(from ?? anySender)];
}

function keyOf({ client_id, recipient }: RowKey): RowKey {
  return { client_id, recipient };
}

/** A row as it was read for a change. */
interface ReadRow {
  readonly key: RowKey;
  readonly found: SuppressionRow | undefined;
  /** The stored revision; undefined if the row is missing or was written by hand. */
  readonly revision: unknown;
}

/** Reads the rows with consistent reads, in the order of the keys. */
async function readForChange(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  keys: readonly RowKey[],
): Promise<readonly ReadRow[]> {
  if (keys.length === 0) return [];
  const items = await batchRead(db, env.SUPPRESSIONS_TABLE, keys, { ConsistentRead: true });
  return keys.map((key) => {
    const { client_id, recipient } = key;
    const stored = items.find((item) => item.client_id === client_id && item.recipient === recipient);
    return { key, found: stored && effectiveSuppression(stored), revision: stored?.revision };
  });
}

/**
 * Changes either all rows or none, and returns them after the change.
 *
 * @param after - returns the rows after the change, in the order in which they were read; undefined keeps a row
 * @throws GatewayError `concurrent_change` if other writers changed a row before each try
 */
function changeRows(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  read: () => Promise<readonly ReadRow[]>,
  after: (rows: readonly ReadRow[]) => readonly (SuppressionRow | undefined)[],
): Promise<(SuppressionRow | undefined)[]> {
  return retryConflicts(async () => {
    const rows = await read();
    const changed = after(rows);
    const puts = rows.flatMap((row, index) => {
      const next = changed[index];
      return next === undefined ? [] : [{ ...row, after: next }];
    });
    if (puts.length > 0 && !(await putRows(ctx, puts))) return false;
    return rows.map(({ found }, index) => changed[index] ?? found);
  });
}

/** How many days a row that suppresses nothing is kept. SNS and SQS keep a notification for less time. */
const removedDays = 60;

/** Returns false if another writer has changed or is changing a row. */
async function putRows(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  rows: readonly (ReadRow & { readonly after: SuppressionRow })[],
): Promise<boolean> {
  const puts = rows.map(({ after, revision: seen }) => {
    const { client_id, changed_at, scope, clients } = after;
    const isOver = scope === undefined && clients === undefined;
    const ended = addDays(new Date(changed_at), keptDays(client_id, removedDays));
    return {
      Put: {
        TableName: env.SUPPRESSIONS_TABLE,
        Item: {
          ...after,
          revision: after.revision + 1,
          ...(isOver ? { purge_at: epochSeconds(ended) } : {}),
        },
        ...(seen === undefined
          ? { ConditionExpression: 'attribute_not_exists(revision)' }
          : { ConditionExpression: 'revision = :seen', ExpressionAttributeValues: { ':seen': seen } }),
      },
    };
  });
  try {
    await db.send(new TransactWriteCommand({ TransactItems: puts }));
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
    if (codes.includes('ConditionalCheckFailed') || codes.includes('TransactionConflict')) return false;
    throw error;
  }
}
