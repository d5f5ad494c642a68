/**
 * Fresh tables of the stack for a test without an engine: the gateway's own adapters run on the database of the simulation,
 * which is compared with Amazon's. A test may look at the rows, watch the changes, and intercept any call.
 */
import { tableShapes } from '../../../shared/contract/tables.ts';
import { type Change, dynamoDb, type KeyNames, type TableDefinition } from '../simulation/aws/dynamodb.ts';
import { type AroundCall, directDatabase, plainRow } from '../simulation/direct-database.ts';
import type { ConnectionName, TestTables } from './test-tables.ts';

export interface InMemoryTables extends TestTables {
  /** The rows as they are now, in the order in which their partitions came to be. */
  rows(table: ConnectionName): Record<string, unknown>[];
}

interface InMemoryOptions {
  /** Decides what becomes of each call: fails it, delays it, or counts it. */
  readonly around?: AroundCall;
  /** Called with each change as it happens. */
  readonly onChange?: (change: Change) => void;
  /** How late indexes and eventually consistent reads are, in the time of the test; by default they are not. */
  readonly late?: Late | undefined;
}

interface Late {
  readonly now: () => number;
  readonly later: (ms: number, run: () => void) => void;
  readonly lagMs: () => number;
}

const inTime: Late = { now: () => 0, later: (_ms, run) => run(), lagMs: () => 0 };

interface IndexShape {
  readonly partition: string;
  readonly sort?: string;
  readonly projection: 'keys' | 'all' | readonly string[];
}

const definitions: readonly TableDefinition[] = Object.entries(tableShapes).map(([name, shape]) => {
  const indexes: Readonly<Record<string, IndexShape>> = 'indexes' in shape ? shape.indexes : {};
  return {
    name: name.replaceAll('-', '_'),
    ...keysOf(shape),
    indexes: Object.fromEntries(
      Object.entries(indexes).map(([index, keys]) => [
        index,
        { ...keysOf(keys), included: includedIn(keys) },
      ]),
    ),
  };
});

/** A table has the name by which the connection knows it. */
const names = Object.fromEntries(definitions.map(({ name }) => [name, name])) as TestTables['names'];

export function inMemoryTables({ around, onChange, late = inTime }: InMemoryOptions = {}): InMemoryTables {
  const database = dynamoDb(definitions, {
    now: late.now,
    later: late.later,
    indexLagMs: late.lagMs,
    readLagMs: late.lagMs,
    conflicts: () => false,
    leavesUndone: () => false,
    changed: (change) => onChange?.(change),
  });
  return {
    dynamo: directDatabase(database, around),
    names,
    rows: (table) => database.rows(table).map(plainRow),
    drop: async () => undefined,
  };
}

function includedIn({ projection }: IndexShape): readonly string[] | undefined {
  if (projection === 'all') return undefined;
  return projection === 'keys' ? [] : projection;
}

function keysOf({ partition, sort }: { readonly partition: string; readonly sort?: string }): KeyNames {
  return { partition, sort };
}
