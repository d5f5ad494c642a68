/** The suppressions table: partition `client_id`, sort `recipient`. Its rules are in suppression.ts. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { standardError } from '../../contract/errors.ts';
import { keptDays, modeOf } from '../../contract/mode.ts';
import { batchRead, type ReadOptions } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
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
  senderKey,
  type Wanted,
} from './suppression.ts';

/** Returns the suppressed recipients of messages, which are of one client and all one-time passwords or none. */
type SuppressedAmong = (messages: readonly Message[]) => Promise<ReadonlySet<string>>;

export type SuppressionStore = ReturnType<typeof dynamoSuppressionStore>;

export interface SuppressionPage {
  readonly suppressions: readonly Suppression[];
  /** Present if there may be more. */
  readonly nextAfter?: string;
}

/** How long a row is kept that suppresses nothing: longer than SNS and SQS keep a notification. */
const removedDays = 60;

interface FoundRow {
  readonly key: RowKey;
  readonly found: SuppressionRow | undefined;
  /** The revision as it is stored; undefined if there is no row, or one that was written by hand. */
  readonly revision: unknown;
}

export function dynamoSuppressionStore(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** The suppression of a client's own row; eventually consistent unless it says otherwise. */
    async get(
      client_id: string,
      recipient: string,
      { consistent: ConsistentRead }: ReadOptions = { consistent: false },
    ): Promise<Suppression | undefined> {
      const Key = { client_id, recipient };
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead }));
      const row = Item && effectiveSuppression(Item);
      return isSuppression(row) ? row : undefined;
    },

    /**
     * Returns true if the message may not be handed over. Makes one eventually consistent read.
     *
     * @param from - what the message is sent from; undefined if the carrier chooses
     */
    async isSuppressed(message: Message, from: string | undefined): Promise<boolean> {
      return (await suppressedAmong(client, TableName, [message], () => from)).size > 0;
    },

    /** Applies a keyword to the rows of the senders and of the client. Repeating it changes nothing. */
    async applyKeyword(keyword: Keyword): Promise<void> {
      const { asksFor, clientId, senders, recipients, number } = keyword;
      const keysOf = (ids: readonly string[]) =>
        ids.flatMap((client_id) => recipients.map((recipient) => ({ client_id, recipient })));
      const own = clientId === undefined ? [] : [clientId];
      const read = async () => {
        const ofSenders = await find(keysOf(senders.map(senderKey)));
        const named = ofSenders.flatMap(({ found }) =>
          found?.numbers?.some((each) => each !== number) === true ? [] : (found?.clients ?? []),
        );
        // A transaction has 100 rows at most, and a recipient two spellings.
        const clients = asksFor === 'opt_in' ? namesWith(own, named) : own;
        return [...ofSenders, ...(await find(keysOf(clients)))];
      };
      const exact = senderKey(number);
      await change(read, (rows) =>
        rows.some(({ key, found }) => key.client_id === exact && isOutdated(found, keyword))
          ? []
          : rows.map(({ key, found }) => afterKeyword(key, found, keyword)),
      );
    },

    /** Suppresses the recipient for the client. Repeating it changes nothing but the scope and the reason. */
    async suppress(wanted: SuppressionChange & Wanted): Promise<SuppressionRow> {
      const key = keyOf(wanted);
      const [row] = await change(
        () => find([key]),
        ([one]) => [afterRequest(key, one?.found, wanted)],
      );
      if (row === undefined) throw new Error('a suppressed recipient has no row');
      return row;
    },

    /**
     * Ends the client's own suppression; an administrator's request ends those of the senders that its row names, too.
     *
     * @returns undefined if nothing was suppressed; else the senders whose rows still suppress
     * @throws GatewayError `concurrent_change` if the recipient wrote a keyword meanwhile, or there was another change
     */
    async end(ending: SuppressionChange): Promise<{ readonly stillFrom: readonly string[] } | undefined> {
      const own = await find([keyOf(ending)]);
      const senders = own[0]?.found?.senders ?? [];
      const named = await find(senders.map((sender) => ({ ...keyOf(ending), client_id: senderKey(sender) })));
      const isAdmin = ending.source === 'admin';
      const puts = [...own, ...(isAdmin ? named : [])].flatMap((one) =>
        isSuppression(one.found) ? [putOf(afterEnd(one.found, ending), one)] : [],
      );
      if (puts.length === 0) return undefined;
      if (!(await putAll(puts))) throw standardError('concurrent_change');
      const stillFrom = senders.filter((_, index) => !isAdmin && isSuppression(named[index]?.found));
      return { stillFrom };
    },

    /** Suppresses the recipient of a message that a carrier refused. Returns whether the recipient is suppressed now. */
    async noteRefusal(message: Message, at: Date): Promise<boolean> {
      const { client_id: clientId, recipient } = message;
      const from = fromOf(message);
      const refusal = { clientId, sender: from ?? anySender, at };
      const [row] = await change(
        () => find(partitionsOf(clientId, from).map((client_id) => ({ client_id, recipient }))),
        (rows) =>
          rows.some(({ found }) => hasEnded(found))
            ? []
            : rows.map(({ key, found }) => afterRefusal(key, found, refusal)),
      );
      return isSuppression(row);
    },

    /**
     * By number, in ascending order.
     *
     * @param after - the recipient that was the last of the page before
     */
    async list(clientId: string, limit: number, after: string | undefined): Promise<SuppressionPage> {
      const suppressions: Suppression[] = [];
      let start = after === undefined ? undefined : { client_id: clientId, recipient: after };
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'client_id = :client',
            // A row without a scope, a beginning and a change is malformed, and suppresses.
            FilterExpression:
              'attribute_exists(#scope) OR attribute_exists(suppressed_at) OR attribute_not_exists(changed_at)',
            ExpressionAttributeNames: { '#scope': 'scope' },
            ExpressionAttributeValues: { ':client': clientId },
            Limit: limit,
            ExclusiveStartKey: start,
          }),
        );
        suppressions.push(...Items.map(effectiveSuppression).filter(isSuppression));
        start = LastEvaluatedKey === undefined ? undefined : rowKey.parse(LastEvaluatedKey);
      } while (start !== undefined && suppressions.length < limit);
      return pageOf(suppressions, limit, start?.recipient);
    },
  };

  /** Reads the rows, consistently and in the order of their keys. */
  async function find(keys: readonly RowKey[]): Promise<FoundRow[]> {
    const items = keys.length === 0 ? [] : await batchRead(client, TableName, keys, { ConsistentRead: true });
    return keys.map((key) => {
      const { client_id, recipient } = key;
      const stored = items.find((item) => item.client_id === client_id && item.recipient === recipient);
      return { key, found: stored && effectiveSuppression(stored), revision: stored?.revision };
    });
  }

  /**
   * Changes the rows, all of them or none, and returns them as they are then.
   *
   * @param after - the rows after the change, in the order in which they were read; undefined to leave one
   * @throws GatewayError `concurrent_change` if others were faster each time
   */
  function change(
    read: () => Promise<readonly FoundRow[]>,
    after: (rows: readonly FoundRow[]) => readonly (SuppressionRow | undefined)[],
  ): Promise<(SuppressionRow | undefined)[]> {
    return retryConflicts(async () => {
      const rows = await read();
      const changed = after(rows);
      const puts = rows.flatMap((one, index) => {
        const row = changed[index];
        return row === undefined ? [] : [putOf(row, one)];
      });
      if (puts.length > 0 && !(await putAll(puts))) return false;
      return rows.map(({ found }, index) => changed[index] ?? found);
    });
  }

  function putOf(row: SuppressionRow, { revision: seen }: FoundRow) {
    const { client_id, changed_at, scope, clients } = row;
    const isOver = scope === undefined && clients === undefined;
    const ended = addDays(new Date(changed_at), keptDays(client_id, removedDays));
    const Item = { ...row, revision: row.revision + 1, ...(isOver ? { purge_at: epochSeconds(ended) } : {}) };
    return seen === undefined
      ? { TableName, Item, ConditionExpression: 'attribute_not_exists(revision)' }
      : {
          TableName,
          Item,
          ConditionExpression: 'revision = :seen',
          ExpressionAttributeValues: { ':seen': seen },
        };
  }

  /** Returns false if another writer has changed a row since it was read, or is about to. */
  async function putAll(puts: ReturnType<typeof putOf>[]): Promise<boolean> {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: puts.map((Put) => ({ Put })) }));
      return true;
    } catch (error) {
      if (isOvertaken(error)) return false;
      throw error;
    }
  }
}

function isOvertaken(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
  return codes.includes('ConditionalCheckFailed') || codes.includes('TransactionConflict');
}

/**
 * Returns the partitions of the rows that stop a message.
 *
 * @param from - what the message is sent from; undefined if the carrier chooses
 */
function partitionsOf(clientId: string, from: string | undefined): readonly string[] {
  return modeOf(clientId) === 'test' ? [clientId] : [clientId, senderKey(from ?? anySender)];
}

function keyOf({ client_id, recipient }: RowKey): RowKey {
  return { client_id, recipient };
}

/** A query may have read more rows than fit the page; the next page begins after the last one that is shown. */
function pageOf(found: readonly Suppression[], limit: number, readTo: string | undefined): SuppressionPage {
  const suppressions = found.slice(0, limit);
  const last = suppressions.at(-1)?.recipient;
  if (found.length > limit && last !== undefined) return { suppressions, nextAfter: last };
  return { suppressions, ...withoutUndefined({ nextAfter: readTo }) };
}

export function dynamoSuppressedAmong(client: DynamoDBDocumentClient, tableName: string): SuppressedAmong {
  return (messages) => suppressedAmong(client, tableName, messages, fromOf);
}

/** Reads the rows that the hand-over reads, many in one call. */
async function suppressedAmong(
  client: DynamoDBDocumentClient,
  tableName: string,
  messages: readonly Message[],
  senderOf: (message: Message) => string | undefined,
): Promise<ReadonlySet<string>> {
  const keys = messages.flatMap((message) => {
    const { client_id, recipient } = message;
    return partitionsOf(client_id, senderOf(message)).map((each) => ({ client_id: each, recipient }));
  });
  const isOneTimePassword = messages.some(({ otp }) => otp !== undefined);
  const rows = (await batchRead(client, tableName, keys)).map(effectiveSuppression);
  const suppressed = rows.filter((row) => isSuppression(row) && applies(row, isOneTimePassword));
  return new Set(suppressed.map(({ recipient }) => recipient));
}
