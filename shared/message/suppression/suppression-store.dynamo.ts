/**
 * The suppressions table: partition `client_id`, sort `recipient`. A change is applied only over an older one, so that
 * notifications may arrive in any order and any number of times.
 */
import { type DynamoDBDocumentClient, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import {
  isSuppression,
  rowKey,
  type Suppression,
  type SuppressionChange,
  type SuppressionRow,
  suppressionRow,
} from './suppression.ts';
import type { SuppressionChanges, SuppressionPage, SuppressionStore } from './suppression-store.ts';

/** How long a row is kept that suppresses nothing: longer than SNS and SQS keep a notification. */
const removedDays = 60;

const isNewer = '(attribute_not_exists(changed_at) OR changed_at < :at)';

export function dynamoSuppressionStore(client: DynamoDBDocumentClient, TableName: string): SuppressionStore {
  return {
    async get(client_id, recipient) {
      const row = await readRow(client, suppressionRow, { TableName, Key: { client_id, recipient } });
      return isSuppression(row) ? row : undefined;
    },

    async change(change) {
      const isOther =
        change.scope === undefined ? 'attribute_exists(#scope)' : 'attribute_not_exists(#scope)';
      const entering = await conditionalUpdate(client, {
        ...update(change, { cause: change.cause }),
        ConditionExpression: `${isNewer} AND ${isOther}`,
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (entering.applied) {
        return { outcome: 'changed', row: suppressionRow.parse(entering.response.Attributes) };
      }
      const row = entering.row === undefined ? undefined : suppressionRow.parse(entering.row);
      // This very change, before a crash or a lost response.
      if (row?.cause === change.cause) return { outcome: 'changed', row };
      const refreshing = await conditionalUpdate(client, {
        ...update(change, row === undefined ? { cause: change.cause } : {}),
        ConditionExpression: isNewer,
        ReturnValues: 'ALL_NEW',
      });
      return refreshing.applied
        ? { outcome: 'same', row: suppressionRow.parse(refreshing.response.Attributes) }
        : { outcome: 'outdated' };
    },

    async list(clientId, limit, after) {
      const suppressions: Suppression[] = [];
      let start = after === undefined ? undefined : { client_id: clientId, recipient: after };
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'client_id = :client',
            FilterExpression: 'attribute_exists(#scope)',
            ExpressionAttributeNames: { '#scope': 'scope' },
            ExpressionAttributeValues: { ':client': clientId },
            Limit: limit,
            ExclusiveStartKey: start,
          }),
        );
        suppressions.push(...Items.flatMap(readable).filter(isSuppression));
        start = LastEvaluatedKey === undefined ? undefined : rowKey.parse(LastEvaluatedKey);
      } while (start !== undefined && suppressions.length < limit);
      return pageOf(suppressions, limit, start?.recipient);
    },
  };

  function update({ client_id, recipient, scope, reason, source, at }: SuppressionChange, more: object) {
    const since = at.toISOString();
    const set: Record<string, unknown> = { source, changed_at: since, ...more };
    if (scope === undefined) set.purge_at = epochSeconds(addDays(at, removedDays));
    else Object.assign(set, { scope, ...withoutUndefined({ reason }) });
    // A person or a carrier asks for no messages; that never narrows what the client or an administrator suppressed.
    const kept = source === 'keyword' || source === 'carrier' ? ['scope', 'reason'] : [];
    const removed = [
      ...(scope === undefined ? ['scope', 'suppressed_at'] : ['purge_at']),
      ...(scope === undefined || reason === undefined ? ['reason'] : []),
    ];
    const sets = Object.keys(set).map((name) =>
      kept.includes(name) ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
    );
    if (scope !== undefined) sets.push('#suppressed_at = if_not_exists(#suppressed_at, :at)');
    const names = [...Object.keys(set), ...removed, 'scope', 'suppressed_at'];
    return {
      TableName,
      Key: { client_id, recipient },
      UpdateExpression: `SET ${sets.join(', ')} REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ':at': since,
        ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      },
    };
  }
}

/** Without a row that a person made invalid: it must not hide the others. */
function readable(item: unknown): SuppressionRow[] {
  const parsed = suppressionRow.safeParse(item);
  return parsed.success ? [parsed.data] : [];
}

/** A query may have read more rows than fit the page; the next page begins after the last one that is shown. */
function pageOf(found: readonly Suppression[], limit: number, readTo: string | undefined): SuppressionPage {
  const suppressions = found.slice(0, limit);
  const last = suppressions.at(-1)?.recipient;
  if (found.length > limit && last !== undefined) return { suppressions, nextAfter: last };
  return { suppressions, ...withoutUndefined({ nextAfter: readTo }) };
}

/** Scans: the comparison with a carrier's list looks at every row, which costs half a read unit for 4 KB of them. */
export function dynamoSuppressionChanges(
  client: DynamoDBDocumentClient,
  TableName: string,
): SuppressionChanges {
  return {
    async changedSince(since, rowsRead, after) {
      const isRow = 'attribute_exists(changed_at)';
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          Limit: rowsRead,
          ...(since === undefined
            ? { FilterExpression: isRow }
            : {
                FilterExpression: `${isRow} AND changed_at >= :since`,
                ExpressionAttributeValues: { ':since': since.toISOString() },
              }),
          ExclusiveStartKey: after,
        }),
      );
      return {
        rows: Items.flatMap(readable),
        ...(LastEvaluatedKey === undefined ? {} : { nextAfter: rowKey.parse(LastEvaluatedKey) }),
      };
    },
  };
}
