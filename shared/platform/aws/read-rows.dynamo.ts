/**
 * Reads one row, all rows of a query or a scan, or many rows by key.
 *
 * A malformed row affects only itself (contract 4.9). Lists leave it out, and a request that needs it fails. A queue
 * consumer fails only this message, and a stream consumer sets the change aside. Rows of `limit-overrides` and `senders`,
 * which administrators edit, are parsed value by value instead. A malformed suppression still suppresses, because a sent
 * message cannot be taken back.
 */
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  paginateQuery,
  paginateScan,
  type QueryCommandInput,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { countMetric, log } from '../log.ts';
import { retryRemaining } from '../retry.ts';
import { isPermanentFault } from './permanent-fault.ts';

export type Row = Readonly<Record<string, unknown>>;

/**
 * Parses a row. If the row is malformed, logs the value of its attribute `key`, and counts the row for the alarm.
 *
 * @throws ZodError if the row is malformed; a retry would fail too (`isPermanentFault`)
 */
export function parseRow<Schema extends z.ZodMiniType>(
  schema: Schema,
  row: Row,
  key: string,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(row);
  if (success) return data;
  const fields = error.issues.map(({ path }) => path.join('.'));
  // Some keys contain a phone number.
  log.error('row unreadable', { [key]: String(row[key]).replace(/\+\d{6,}/g, '+…'), fields });
  countMetric('InvalidRow');
  throw error;
}

/** Returns undefined if the row does not exist. @throws as `parseRow` */
export async function readRow<Schema extends z.ZodMiniType>(
  client: DynamoDBDocumentClient,
  schema: Schema,
  input: GetCommandInput,
): Promise<z.output<Schema> | undefined> {
  const { Item } = await client.send(new GetCommand(input));
  return parsedIfFound(schema, Item, input.Key);
}

/** Reads a row consistently, as `readShared` does. @throws as `parseRow` */
export async function readRowShared<Schema extends z.ZodMiniType>(
  client: DynamoDBDocumentClient,
  schema: Schema,
  table: string,
  key: Row,
): Promise<z.output<Schema> | undefined> {
  return parsedIfFound(schema, await readShared(client, { table, key, consistent: true }), key);
}

function parsedIfFound<Schema extends z.ZodMiniType>(schema: Schema, row: Row | undefined, key: Row = {}) {
  return row && parseRow(schema, row, Object.keys(key)[0] ?? '');
}

/** Returns the valid rows, without malformed ones. */
export function readableRows<Schema extends z.ZodMiniType>(
  schema: Schema,
  rows: readonly Row[],
  key: string,
): z.output<Schema>[] {
  return rows.flatMap((row) => {
    try {
      return [parseRow(schema, row, key)];
    } catch {
      return [];
    }
  });
}

/** Returns the rows of a query page by page, and reads each page when it is needed. */
export async function* queryRows(client: DynamoDBDocumentClient, input: QueryCommandInput) {
  for await (const { Items = [] } of paginateQuery({ client }, input)) yield* Items;
}

/** Returns the rows of a scan page by page, and reads each page when it is needed. */
export async function* scanRows(client: DynamoDBDocumentClient, input: ScanCommandInput) {
  for await (const { Items = [] } of paginateScan({ client }, input)) yield* Items;
}

const batchSize = 100;

/**
 * Reads many rows of a table by key, in as few calls as DynamoDB allows. Returns the rows in no particular order. If
 * DynamoDB omits keys, because of throttling or a large response, reads them again.
 */
export async function batchRead(
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Record<string, unknown>[],
  options: Partial<WantedRows[string]> = {},
): Promise<Record<string, unknown>[]> {
  const chunks = chunksOf(keys, batchSize).map(async (chunk) => {
    const rows = await readTogether(client, { [tableName]: { ...options, Keys: [...chunk] } });
    return rows[tableName] ?? [];
  });
  return (await Promise.all(chunks)).flat();
}

type WantedRows = NonNullable<BatchGetCommandInput['RequestItems']>;

/** Reads at most 100 rows of several tables in one call. Returns the existing rows by table. */
async function readTogether(
  client: DynamoDBDocumentClient,
  wanted: WantedRows,
): Promise<Readonly<Record<string, Record<string, unknown>[]>>> {
  const found: Record<string, Record<string, unknown>[]> = {};
  await retryRemaining([wanted], async ([RequestItems]) => {
    const { Responses = {}, UnprocessedKeys = {} } = await client.send(new BatchGetCommand({ RequestItems }));
    for (const [table, rows] of Object.entries(Responses)) found[table] = [...(found[table] ?? []), ...rows];
    const isDone = Object.values(UnprocessedKeys).every(({ Keys = [] }) => Keys.length === 0);
    return isDone ? [] : [UnprocessedKeys];
  });
  return found;
}

interface WantedRow extends ReadOptions {
  readonly table: string;
  readonly key: Row;
}

/** The reads that wait for the call that they share. */
const waiting = new WeakMap<DynamoDBDocumentClient, SharedRead>();

interface SharedRead {
  readonly wanted: WantedRow[];
  readonly found: Promise<Readonly<Record<string, readonly Row[]>>>;
}

/**
 * Reads a row. Reads that begin at the same moment share a call, because the messages of a queue batch are processed in
 * parallel. If DynamoDB refuses the shared call, each row is read alone, so a wrong key fails only its own message.
 */
export async function readShared(client: DynamoDBDocumentClient, row: WantedRow): Promise<Row | undefined> {
  const { wanted, found } = waiting.get(client) ?? beginSharedRead(client);
  wanted.push(row);
  const rows = await found.catch((error: unknown) => {
    if (wanted.length === 1 || !isPermanentFault(error)) throw error;
    return readAll(client, [row]);
  });
  const key = Object.entries(row.key);
  return rows[row.table]?.find((one) => key.every(([name, value]) => one[name] === value));
}

function beginSharedRead(client: DynamoDBDocumentClient): SharedRead {
  const wanted: WantedRow[] = [];
  const found = Promise.resolve().then(() => {
    waiting.delete(client);
    return readAll(client, wanted);
  });
  waiting.set(client, { wanted, found });
  return { wanted, found };
}

/** Returns the rows that exist, by table. The rows of a table are read consistently if one of them must be. */
async function readAll(client: DynamoDBDocumentClient, wanted: readonly WantedRow[]): SharedRead['found'] {
  const rows = [...new Map(wanted.map((row) => [JSON.stringify([row.table, row.key]), row])).values()];
  if (rows.length === 1 && rows[0] !== undefined) {
    const { table, key: Key, consistent: ConsistentRead } = rows[0];
    const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead }));
    return { [table]: Item === undefined ? [] : [Item] };
  }
  const reads = chunksOf(rows, batchSize).map((chunk) => {
    const tables = [...Map.groupBy(chunk, ({ table }) => table)].map(([table, ofTable]) => {
      const ConsistentRead = ofTable.some(({ consistent }) => consistent);
      return [table, { Keys: ofTable.map(({ key }) => ({ ...key })), ConsistentRead }];
    });
    return readTogether(client, Object.fromEntries(tables));
  });
  const found: Record<string, Row[]> = {};
  for (const read of await Promise.all(reads))
    for (const [table, some] of Object.entries(read)) found[table] = [...(found[table] ?? []), ...some];
  return found;
}

/** An eventually consistent read costs half. Use it only if a stale row does no harm. */
export interface ReadOptions {
  readonly consistent: boolean;
}

export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}
