/** The reads of the simulated DynamoDB: one row, many rows, a query or a scan in pages. */
import { type Item, isEqual, itemBytes, type Value } from './attribute-values.ts';
import { type Condition, parseCondition, ValidationError } from './expression-syntax.ts';
import {
  checkExpressions,
  holds,
  nameOf,
  operandValue,
  type Placeholders,
  projected,
} from './expressions.ts';
import type { Input } from './input.ts';
import { type KeyNames, keyText, noItem, type Partition, picked, type Table, type Tables } from './tables.ts';

const pageBytesMax = 1_048_576;

export function tableReads({ tableOf, keyOf, checkKey, rowOf, seen }: Tables, leavesUndone: () => boolean) {
  function getItem(input: Input): object {
    const table = tableOf(input.TableName);
    checkKey(table, input.Key);
    checkExpressions([input.ProjectionExpression], input);
    const item = seen(rowOf(table, keyOf(table, input.Key)), input.ConsistentRead === true);
    return item === undefined ? {} : { Item: projected(item, input.ProjectionExpression, input) };
  }

  function query(input: Input): object {
    const table = tableOf(input.TableName);
    const { KeyConditionExpression = '', FilterExpression, ProjectionExpression } = input;
    checkExpressions([KeyConditionExpression, FilterExpression, ProjectionExpression], input);
    const condition = parseCondition(KeyConditionExpression);
    const index = input.IndexName === undefined ? undefined : table.indexes.get(input.IndexName);
    if (input.IndexName !== undefined && index === undefined)
      throw new ValidationError(`The table does not have the specified index: ${input.IndexName}`);
    if (index !== undefined && input.ConsistentRead === true)
      throw new ValidationError('Consistent reads are not supported on global secondary indexes');
    const keys = index?.keys ?? table.definition;
    const partitionKey = keyText(equalTo(condition, keys.partition, input));
    const found =
      index === undefined
        ? itemsOf(table.partitions.get(partitionKey), (row) => seen(row, input.ConsistentRead === true))
        : itemsOf(index.partitions.get(partitionKey), (item) => item, keys.sort);
    const items = found.filter((item) => holds(condition, item, input));
    if (input.ScanIndexForward === false) items.reverse();
    return page(table, items, input, keys);
  }

  function scan(input: Input): object {
    const table = tableOf(input.TableName);
    if (input.IndexName !== undefined) throw new ValidationError('scans of indexes are not simulated');
    const { FilterExpression, ProjectionExpression } = input;
    checkExpressions([FilterExpression, ProjectionExpression], input);
    const items = [...table.partitions.keys()]
      .sort()
      .flatMap((key) =>
        itemsOf(table.partitions.get(key), (row) => seen(row, input.ConsistentRead === true)),
      );
    return page(table, items, input, table.definition);
  }

  function page(table: Table, items: readonly Item[], input: Input, keys: KeyNames): object {
    const names = [
      ...new Set([...tableKeys(table), keys.partition, ...(keys.sort === undefined ? [] : [keys.sort])]),
    ];
    const start = input.ExclusiveStartKey;
    let from = 0;
    if (start !== undefined) {
      const at = items.findIndex((item) => names.every((name) => isEqual(item[name], start[name])));
      from = at >= 0 ? at + 1 : firstAfter(items, start, keys, input.ScanIndexForward !== false);
    }
    const filter = input.FilterExpression === undefined ? undefined : parseCondition(input.FilterExpression);
    const found: Item[] = [];
    let bytes = 0;
    let last: Item | undefined;
    let scanned = 0;
    for (let i = from; i < items.length; i += 1) {
      const item = items[i] ?? noItem;
      scanned += 1;
      bytes += itemBytes(item);
      if (filter === undefined || holds(filter, item, input))
        found.push(projected(item, input.ProjectionExpression, input));
      if (scanned === input.Limit || bytes > pageBytesMax) {
        last = picked(item, names);
        break;
      }
    }
    return {
      Items: found,
      Count: found.length,
      ScannedCount: scanned,
      ...(last === undefined ? {} : { LastEvaluatedKey: last }),
    };
  }

  type BatchGet = Readonly<Record<string, Input & { readonly Keys: readonly Item[] }>>;

  function batchGet({ RequestItems }: { readonly RequestItems: BatchGet }): object {
    const Responses: Record<string, Item[]> = {};
    const UnprocessedKeys: Record<string, unknown> = {};
    for (const [name, request] of Object.entries(RequestItems)) {
      const { Keys, ...rest } = request;
      const table = tableOf(name);
      if (Keys.length > 100) throw new ValidationError('Too many items requested for the BatchGetItem call');
      const texts = Keys.map((key) => keyOf(table, key).join('\0'));
      if (new Set(texts).size < texts.length)
        throw new ValidationError('Provided list of item keys contains duplicates');
      const undone: Item[] = [];
      Responses[name] = Keys.flatMap((Key) => {
        if (Keys.length > 1 && leavesUndone()) {
          undone.push(Key);
          return [];
        }
        const { Item: found } = getItem({ ...rest, TableName: name, Key }) as { readonly Item?: Item };
        return found === undefined ? [] : [found];
      });
      if (undone.length > 0) UnprocessedKeys[name] = { ...rest, Keys: undone };
    }
    return { Responses, UnprocessedKeys };
  }

  return { getItem, query, scan, batchGet };
}

function tableKeys({ definition: { partition, sort } }: Table): string[] {
  return sort === undefined ? [partition] : [partition, sort];
}

function itemsOf<Entry>(
  partition: Partition<Entry> | undefined,
  itemOf: (entry: Entry) => Item | undefined,
  sort?: string,
): Item[] {
  if (partition === undefined) return [];
  const { entries } = partition;
  partition.sorted ??= [...entries.keys()].sort(
    sort === undefined ? byText : (a, b) => byText(sortText(a), sortText(b)) || byText(a, b),
  );
  function sortText(key: string): string {
    const entry = entries.get(key);
    return entry === undefined ? '' : keyText(itemOf(entry)?.[sort ?? '']);
  }
  const items: Item[] = [];
  for (const key of partition.sorted) {
    const entry = entries.get(key);
    const item = entry === undefined ? undefined : itemOf(entry);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the index at which a page continues if the row of its start key was deleted. */
function firstAfter(
  items: readonly Item[],
  start: Item,
  { sort, partition }: KeyNames,
  forward: boolean,
): number {
  const name = sort ?? partition;
  const startText = keyText(start[name]);
  const at = items.findIndex((item) => {
    const order = byText(keyText(item[name]), startText);
    return forward ? order > 0 : order < 0;
  });
  return at < 0 ? items.length : at;
}

/** The value that a key condition asks of the partition key. */
function equalTo(condition: Condition, name: string, given: Placeholders): Value {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  for (const part of parts) {
    if (part.kind !== 'compare' || part.by !== '=' || part.left.kind !== 'path') continue;
    const [first] = part.left.path;
    if (first === undefined || !('name' in first) || nameOf(first.name, given) !== name) continue;
    const value = operandValue(part.right, noItem, given);
    if (value !== undefined) return value;
  }
  throw new ValidationError(`Query condition missed key schema element: ${name}`);
}
