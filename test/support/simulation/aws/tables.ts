/** The rows of the simulated DynamoDB: tables, what their indexes have of them with a delay, and what each write counts. */
import { type Item, isEqualItem, itemBytes, type Value } from './attribute-values.ts';
import { ValidationError } from './expression-syntax.ts';
import { ServiceError } from './service-error.ts';

export interface KeyNames {
  readonly partition: string;
  readonly sort?: string | undefined;
}

interface IndexDefinition extends KeyNames {
  /** The fields that the index has beside its keys; all if it is absent. */
  readonly included?: readonly string[] | undefined;
}

export interface TableDefinition extends KeyNames {
  readonly name: string;
  readonly indexes: Readonly<Record<string, IndexDefinition>>;
  /** The attribute after whose time DynamoDB deletes a row. */
  readonly ttl?: string | undefined;
}

/** A change of a table, as its stream tells it. */
export interface Change {
  readonly table: string;
  readonly keys: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** Behaviour of DynamoDB that the simulation decides, not a request. */
export interface DynamoDbWorld {
  readonly now: () => number;
  readonly later: (ms: number, run: () => void) => void;
  /** How long after a write an index has it. */
  readonly indexLagMs: () => number;
  /** How old an eventually consistent read may be. */
  readonly readLagMs: () => number;
  /** Returns true if a write is refused during a transaction on the same row. */
  readonly conflicts: () => boolean;
  /** Returns true if DynamoDB leaves a part of a batch unprocessed. */
  readonly leavesUndone: () => boolean;
  readonly changed: (change: Change) => void;
}

export interface Row {
  readonly item: Item;
  readonly bytes: number;
  /** The row before its last write, which an eventually consistent read may still see. */
  readonly before: Item | undefined;
  readonly writtenAt: number;
}

export interface Partition<Entry> {
  readonly entries: Map<string, Entry>;
  /** The keys in the order of a query, until one is added or removed. */
  sorted: string[] | undefined;
}

interface Index {
  readonly keys: IndexDefinition;
  readonly partitions: Map<string, Partition<Item>>;
  /** The projected rows of the index. */
  readonly has: Map<string, Item>;
  /** No write of a row overtakes an earlier one on its way into the index. */
  readonly dueAt: Map<string, number>;
}

export interface Table {
  readonly definition: TableDefinition;
  readonly partitions: Map<string, Partition<Row>>;
  readonly indexes: ReadonlyMap<string, Index>;
  /** When a transaction last touched a row. */
  readonly transactions: Map<string, number>;
}

const itemBytesMax = 409_600;
/** Another write of a row that a transaction touches meets it within this time. */
const transactionMs = 15;
export const noItem: Item = {};

export type Tables = ReturnType<typeof storedTables>;

export function storedTables(definitions: readonly TableDefinition[], world: DynamoDbWorld) {
  const tables = new Map<string, Table>(
    definitions.map((definition) => [
      definition.name,
      {
        definition,
        partitions: new Map(),
        indexes: new Map(
          Object.entries(definition.indexes).map(([name, keys]) => [
            name,
            { keys, partitions: new Map(), has: new Map(), dueAt: new Map() },
          ]),
        ),
        transactions: new Map(),
      },
    ]),
  );
  /** The largest row, and the most bytes written to one partition in one second, of each table and index. */
  const largestRow = new Map<string, number>();
  const busiest = new Map<string, { readonly second: number; units: number }>();
  const peaks = new Map<string, number>();

  function tableOf(name: string): Table {
    const table = tables.get(name);
    if (table === undefined) throw new ServiceError('ResourceNotFoundException', `no table ${name}`);
    return table;
  }

  function keyOf({ definition: { partition, sort } }: Table, item: Item): readonly [string, string] {
    return [keyText(item[partition]), sort === undefined ? '' : keyText(item[sort])];
  }

  function keyAttributes({ definition: { partition, sort } }: Table, item: Item): Item {
    return picked(item, sort === undefined ? [partition] : [partition, sort]);
  }

  function checkKey(table: Table, key: Item): void {
    const { partition, sort } = table.definition;
    const names = sort === undefined ? [partition] : [partition, sort];
    if (Object.keys(key).length !== names.length || names.some((name) => key[name] === undefined))
      throw new ValidationError('The provided key element does not match the schema');
  }

  function rowOf(table: Table, [partition, sort]: readonly [string, string]): Row | undefined {
    return table.partitions.get(partition)?.entries.get(sort);
  }

  /** The row as an eventually consistent read sees it. */
  function seen(row: Row | undefined, consistent: boolean): Item | undefined {
    if (row === undefined || consistent || world.now() - row.writtenAt >= world.readLagMs()) return row?.item;
    return row.before;
  }

  function countUnits(name: string, partition: string, bytes: number): void {
    const second = Math.floor(world.now() / 1000);
    const key = `${name}\0${partition}`;
    const units = Math.max(1, Math.ceil(bytes / 1024));
    const before = busiest.get(key);
    const now = before?.second === second ? before : { second, units: 0 };
    now.units += units;
    busiest.set(key, now);
    if (now.units > (peaks.get(name) ?? 0)) peaks.set(name, now.units);
  }

  function store(table: Table, key: readonly [string, string], after: Item | undefined): void {
    const { definition, partitions } = table;
    const [partitionKey, sortKey] = key;
    const partition = partitions.get(partitionKey) ?? { entries: new Map(), sorted: undefined };
    partitions.set(partitionKey, partition);
    const row = partition.entries.get(sortKey);
    const before = row?.item;
    const bytes = after === undefined ? 0 : itemBytes(after);
    if (bytes > itemBytesMax) throw new ValidationError('Item size has exceeded the maximum allowed size');
    countUnits(definition.name, partitionKey, Math.max(bytes, row?.bytes ?? 0));
    if (bytes > (largestRow.get(definition.name) ?? 0)) largestRow.set(definition.name, bytes);
    if (isEqualItem(before, after)) return;
    if (after === undefined) partition.entries.delete(sortKey);
    else partition.entries.set(sortKey, { item: after, bytes, before, writtenAt: world.now() });
    if ((before === undefined) !== (after === undefined)) partition.sorted = undefined;
    for (const [name, index] of table.indexes) {
      // A change of what the index does not have costs it nothing.
      if (isEqualItem(projected(table, index, before), projected(table, index, after))) continue;
      propagate(table, name, index, key, after);
    }
    world.changed({
      table: definition.name,
      keys: keyAttributes(table, after ?? before ?? noItem),
      before,
      after,
    });
  }

  function indexed({ keys: { partition, sort } }: Index, item: Item | undefined): Item | undefined {
    if (item?.[partition] === undefined || (sort !== undefined && item[sort] === undefined)) return undefined;
    return item;
  }

  /** Returns the row as projected into the index. */
  function projected(table: Table, index: Index, row: Item | undefined): Item | undefined {
    const item = indexed(index, row);
    const { partition, sort, included } = index.keys;
    if (item === undefined || included === undefined) return item;
    const own = Object.keys(keyAttributes(table, item));
    return picked(item, [...own, partition, ...(sort === undefined ? [] : [sort]), ...included]);
  }

  function propagate(
    table: Table,
    name: string,
    index: Index,
    key: readonly [string, string],
    after: Item | undefined,
  ): void {
    const id = key.join('\0');
    const { partition } = index.keys;
    const apply = (): void => {
      const before = index.has.get(id);
      if (before !== undefined) {
        const old = index.partitions.get(keyText(before[partition]));
        old?.entries.delete(id);
        if (old !== undefined) old.sorted = undefined;
        index.has.delete(id);
      }
      const kept = projected(table, index, after);
      if (kept === undefined) return;
      const into = index.partitions.get(keyText(kept[partition])) ?? {
        entries: new Map(),
        sorted: undefined,
      };
      index.partitions.set(keyText(kept[partition]), into);
      into.entries.set(id, kept);
      into.sorted = undefined;
      index.has.set(id, kept);
      countUnits(`${table.definition.name}/${name}`, keyText(kept[partition]), itemBytes(kept));
    };
    const dueAt = Math.max(index.dueAt.get(id) ?? 0, world.now() + world.indexLagMs());
    index.dueAt.set(id, dueAt);
    if (dueAt <= world.now()) apply();
    else world.later(dueAt - world.now(), apply);
  }

  function meetTransaction(table: Table, key: readonly [string, string]): void {
    const at = table.transactions.get(key.join('\0'));
    if (at === undefined || world.now() - at > transactionMs || !world.conflicts()) return;
    throw new ServiceError('TransactionConflictException', 'Transaction is ongoing for the item');
  }

  return {
    tableOf,
    keyOf,
    keyAttributes,
    checkKey,
    rowOf,
    seen,
    store,
    meetTransaction,
    /** Bytes of the largest row ever, by table. */
    largestRow: largestRow as ReadonlyMap<string, number>,
    /** The most write units of one partition in one second, by table, and by `table/index`. */
    peakWriteUnits: peaks as ReadonlyMap<string, number>,
  };
}

export function keyText(value: Value | undefined): string {
  if (value === undefined || !('S' in value))
    throw new ValidationError('Type mismatch for a key: expected S');
  return value.S;
}

export function picked(item: Item, names: readonly string[]): Item {
  const result: Record<string, Value> = {};
  for (const name of names) {
    const value = item[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}
