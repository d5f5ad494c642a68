/**
 * The suppressions table: partition `client_id`, sort `recipient`. A change is applied only over an older one, so that
 * notifications may arrive in any order and any number of times.
 */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { keptDays } from '../../contract/mode.ts';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { batchRead, type ReadOptions } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, addSeconds, type Clock, epochSeconds } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { Message } from '../message.ts';
import {
  applies,
  type Changed,
  effectiveSuppression,
  epoch,
  isReadable,
  isSuppression,
  lastingSources,
  rowKey,
  type Suppression,
  type SuppressionChange,
  type SuppressionRow,
} from './suppression.ts';

/** Recipients of these messages, which are of one client and all one-time passwords or none, that are suppressed for them. */
export type SuppressedAmong = (messages: readonly Message[]) => Promise<ReadonlySet<string>>;

export type SuppressionStore = ReturnType<typeof dynamoSuppressionStore>;

export interface SuppressionPage {
  readonly suppressions: readonly Suppression[];
  /** Present if there may be more. */
  readonly nextAfter?: string;
}

/** How long a row is kept that suppresses nothing: longer than SNS and SQS keep a notification. */
const removedDays = 60;

/** A time further ahead was entered by a person: the clocks of a carrier and the gateway differ by less. */
const aheadMaxSeconds = 3600;

const isNewer = '(attribute_not_exists(changed_at) OR changed_at < :at OR changed_at > :possible)';

/**
 * A START of which the gateway learns after the client ended the suppression counts if it is newer than what the client ended. Of
 * two words of one moment, STOP counts.
 */
function isNewerThanRow({ source, scope }: SuppressionChange): string {
  if (source !== 'keyword') return isNewer;
  return `(${isNewer} OR ${scope === undefined ? 'word_at < :at' : 'changed_at = :at'})`;
}

export function dynamoSuppressionStore(client: DynamoDBDocumentClient, TableName: string, clock: Clock) {
  return {
    /** Eventually consistent unless it says otherwise: half a read unit. */
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

    async change(change: SuppressionChange): Promise<Changed> {
      if (change.isRefusal === true) return beginByRefusal(change);
      if (change.source === 'keyword' && change.scope === undefined) {
        const row = await this.get(change.client_id, change.recipient, { consistent: true });
        if (row !== undefined && !isReadable(row)) return { outcome: 'outdated', row };
      }
      const isOther =
        change.scope === undefined
          ? 'attribute_exists(#scope) AND attribute_exists(changed_at)'
          : 'attribute_not_exists(#scope)';
      const { applied, exists, row } = await write({
        ...update(change, { cause: change.cause }, { isEntering: true }),
        ConditionExpression: `${isNewerThanRow(change)} AND ${isOther}`,
      });
      // This very change: now, or before a crash or a lost response.
      if (applied || row.cause === change.cause) return { outcome: 'changed', row };
      if (exists && isRepair(change, row)) return repair(change);
      // Nothing was suppressed, and the word of the person stays the reason for that.
      const isEnded = row.scope === undefined;
      if (change.scope === undefined && isEnded && isLasting(row) && !isLasting(change))
        return { outcome: 'same', row };
      const refreshing = await write({
        ...update(change, exists ? {} : { cause: change.cause }),
        ConditionExpression: isNewerThanRow(change),
      });
      return { outcome: refreshing.applied ? 'same' : 'outdated', row: refreshing.row };
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
            // Without them a row that has no change is one that cannot be read.
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

  /** The row is as it counts: after the write, or as its condition saw it; one that does not exist counts as unreadable. */
  async function write(input: UpdateCommandInput) {
    const writing = await conditionalUpdate(client, {
      ...input,
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const row = writing.applied ? writing.response.Attributes : writing.row;
    return { applied: writing.applied, exists: row !== undefined, row: effectiveSuppression(row ?? {}) };
  }

  /** Writes every attribute: what the row said cannot be read, nor which change is newer. */
  async function repair(change: SuppressionChange): Promise<Changed> {
    const input = update(change, { cause: change.cause }, { overwrites: true });
    const repairing = await client.send(new UpdateCommand({ ...input, ReturnValues: 'ALL_NEW' }));
    return { outcome: 'changed', row: effectiveSuppression(repairing.Attributes ?? {}) };
  }

  async function beginByRefusal(change: SuppressionChange): Promise<Changed> {
    const input = update(change, { cause: change.cause });
    const lasting = lastingSources.map((_, index) => `:lasting${index}`);
    const { applied, row } = await write({
      ...input,
      ConditionExpression: `${isNewer} AND attribute_not_exists(#scope) AND (attribute_not_exists(changed_at) OR NOT #source IN (${lasting.join(', ')}))`,
      ExpressionAttributeValues: {
        ...input.ExpressionAttributeValues,
        ...Object.fromEntries(lastingSources.map((source, index) => [`:lasting${index}`, source])),
      },
    });
    if (applied || row.cause === change.cause) return { outcome: 'changed', row };
    return { outcome: isSuppression(row) ? 'same' : 'outdated', row };
  }

  function update(
    { client_id, recipient, scope, reason, source, at, isRefusal = false }: SuppressionChange,
    more: object,
    { overwrites = false, isEntering = false } = {},
  ) {
    const since = at.toISOString();
    const set: Record<string, unknown> = {
      source,
      changed_at: since,
      ...more,
    };
    if (scope === undefined) set.purge_at = epochSeconds(addDays(at, keptDays(client_id, removedDays)));
    else Object.assign(set, { scope, ...withoutUndefined({ reason }) });
    const isClientEnd = source === 'client' && scope === undefined;
    const keepsWord = isRefusal || (isClientEnd && !overwrites);
    // A person or a carrier asks for no messages; that never narrows what the client or an administrator suppressed.
    const kept = source === 'keyword' || source === 'carrier' ? ['scope', 'reason'] : [];
    const removed = [
      ...(scope === undefined ? ['scope', 'suppressed_at'] : ['purge_at']),
      ...(scope === undefined || reason === undefined ? ['reason'] : []),
      ...(keepsWord ? [] : ['word_at']),
    ];
    const sets = Object.keys(set).map((name) => {
      // An earlier word of the person, of which the gateway learns later, still counts.
      if (isRefusal && name === 'changed_at') return '#changed_at = if_not_exists(#changed_at, :epoch)';
      return kept.includes(name) ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`;
    });
    if (scope !== undefined)
      sets.push(
        `#suppressed_at = ${overwrites ? ':changed_at' : 'if_not_exists(#suppressed_at, :changed_at)'}`,
      );
    if (isClientEnd && !overwrites)
      sets.push(`word_at = if_not_exists(word_at, ${isEntering ? 'changed_at' : ':epoch'})`);
    const names = [...Object.keys(set), ...removed, 'scope', 'suppressed_at'];
    return {
      TableName,
      Key: { client_id, recipient },
      UpdateExpression: `SET ${sets.join(', ')} REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        // The conditions compare with it; DynamoDB refuses a value that no expression has.
        ...(overwrites
          ? {}
          : { ':at': since, ':possible': addSeconds(clock(), aheadMaxSeconds).toISOString() }),
        ...(isRefusal || (isClientEnd && !overwrites && !isEntering) ? { ':epoch': epoch } : {}),
        ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      },
    };
  }
}

function isLasting({ source }: Pick<SuppressionRow, 'source'>): boolean {
  return lastingSources.includes(source);
}

/** A row that cannot be read is repaired by its client and by administrators. A text of the person does not end it. */
function isRepair({ source }: SuppressionChange, row: SuppressionRow): boolean {
  return !isReadable(row) && (source === 'client' || source === 'admin');
}

/** A query may have read more rows than fit the page; the next page begins after the last one that is shown. */
function pageOf(found: readonly Suppression[], limit: number, readTo: string | undefined): SuppressionPage {
  const suppressions = found.slice(0, limit);
  const last = suppressions.at(-1)?.recipient;
  if (found.length > limit && last !== undefined) return { suppressions, nextAfter: last };
  return { suppressions, ...withoutUndefined({ nextAfter: readTo }) };
}

/** Which recipients of messages would not be sent to: the suppressions that the hand-over reads, many in one call. */
export function dynamoSuppressedAmong(client: DynamoDBDocumentClient, tableName: string): SuppressedAmong {
  return async (messages) => {
    const keys = messages.map(({ client_id, recipient }) => ({ client_id, recipient }));
    const isOneTimePassword = messages.some(({ otp }) => otp !== undefined);
    const rows = (await batchRead(client, tableName, keys)).map(effectiveSuppression);
    const suppressed = rows.filter((row) => isSuppression(row) && applies(row, isOneTimePassword));
    return new Set(suppressed.map(({ recipient }) => recipient));
  };
}
