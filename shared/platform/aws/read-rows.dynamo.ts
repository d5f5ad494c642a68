/**
 * Reads one row, all rows of a query or a scan, or many rows by their keys.
 *
 * Why: docs/decisions/malformed-rows.md
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
import { log } from '../log.ts';
import { chunksOf } from '../long-lists.ts';
import { retryRemaining } from '../retry.ts';

/**
 * Undefined where there is no such row.
 *
 * @param key - by this attribute a row that a person made invalid is logged
 * @throws ZodError where the row does not have this form
 */
export async function readRow<Schema extends z.ZodMiniType>(
  client: DynamoDBDocumentClient,
  schema: Schema,
  input: GetCommandInput,
  key?: string,
): Promise<z.output<Schema> | undefined> {
  const { Item } = await client.send(new GetCommand(input));
  if (Item === undefined) return undefined;
  const { success, data, error } = schema.safeParse(Item);
  if (success) return data;
  if (key !== undefined) logUnreadable(Item, key, error);
  throw error;
}

/** The rows of this form. One that a person made invalid is logged, by its key, and hides no other. */
export function readableRows<Schema extends z.ZodMiniType>(
  schema: Schema,
  rows: readonly Readonly<Record<string, unknown>>[],
  key: string,
): z.output<Schema>[] {
  return rows.flatMap((row) => {
    const { success, data, error } = schema.safeParse(row);
    if (success) return [data];
    logUnreadable(row, key, error);
    return [];
  });
}

function logUnreadable(row: Readonly<Record<string, unknown>>, key: string, { issues }: z.core.$ZodError) {
  log.error('row unreadable', { [key]: row[key], fields: issues.map(({ path }) => path.join('.')) });
}

/** The rows that a query finds, page by page, each page when it is needed. */
export async function* queryRows(client: DynamoDBDocumentClient, input: QueryCommandInput) {
  for await (const { Items = [] } of paginateQuery({ client }, input)) yield* Items;
}

/** The rows that a scan finds, page by page, each page when it is needed. */
export async function* scanRows(client: DynamoDBDocumentClient, input: ScanCommandInput) {
  for await (const { Items = [] } of paginateScan({ client }, input)) yield* Items;
}

/** Reads many rows of a table by their keys, in as few calls as DynamoDB allows. Rows come in no order. */
type Row = Record<string, unknown>;
type Request = NonNullable<BatchGetCommandInput['RequestItems']>[string];

const batchSize = 100;

/** Keys that DynamoDB leaves out of its response, because it is throttled or the response is too large, are read again. */
export async function batchRead(
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Row[],
  options: Omit<Request, 'Keys'> = {},
): Promise<Row[]> {
  const found: Row[] = [];
  const readChunk = async (chunk: readonly Row[]): Promise<readonly Row[]> => {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { ...options, Keys: [...chunk] } } }),
    );
    found.push(...(Responses?.[tableName] ?? []));
    return UnprocessedKeys?.[tableName]?.Keys ?? [];
  };
  await Promise.all(chunksOf(keys, batchSize).map((chunk) => retryRemaining(chunk, readChunk)));
  return found;
}

/** An eventually consistent read costs half; it is for callers that act only on final states. */
export interface ReadOptions {
  readonly consistent: boolean;
}
