/** Reads and writes the tables that operators edit in the DynamoDB console. */
import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  QueryCommand as QueryRowsCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ActivityKind } from '../contract/activity-kinds.ts';
import {
  conditionalDeleteItem,
  conditionalUpdateItem,
  setOrRemove,
} from '../platform/aws/conditional-write.dynamo.ts';
import { queryRows, scanRows } from '../platform/aws/read-rows.dynamo.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { retryConflicts } from '../platform/retry.ts';

/** A row of such a table, whose attributes can have any value. */
export type EditedRow = Readonly<Record<string, unknown>>;

export type EditedVariable = 'LIMIT_OVERRIDES_TABLE' | 'SENDERS_TABLE';

/** Describes such a table, whose partition key is `client_id`. */
export interface EditedTable<Variable extends EditedVariable = EditedVariable> {
  /** The environment variable that contains the name of the table. */
  readonly variable: Variable;
  readonly sortKey: string;
  /** The attributes that operators edit, besides the key. */
  readonly attributes: readonly string[];
  readonly change: {
    readonly set: ActivityKind;
    readonly removed: ActivityKind;
    /** The noun for the content of a row, such as `limits`. `limits`. */
    readonly what: string;
  };
}

/** The attributes that the gateway writes into a row: the feedback, and the actor of a change by a tool. */
export const ownAttributes = ['status', 'status_message', 'changed_by'] as const;

export interface IgnoredValue {
  readonly attribute: string;
  /** The error and its correction, without the attribute's name. */
  readonly reason: string;
}

export type Parsed<T> = { readonly value: T } | { readonly reason: string };

/** Returns an attribute's value if it is present and valid. If it is invalid, adds the reason to `ignored`. */
export function validValue<T>(
  row: EditedRow,
  attribute: string,
  parse: (value: unknown) => Parsed<T>,
  ignored: IgnoredValue[],
): T | undefined {
  if (row[attribute] === undefined) return undefined;
  const parsed = parse(row[attribute]);
  if ('value' in parsed) return parsed.value;
  ignored.push({ attribute, reason: parsed.reason });
  return undefined;
}

/** Parses a boolean, which the console easily stores as a string. */
export function parseBoolean(value: unknown): Parsed<boolean> {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true') return { value: true };
  if (text === false || text === 'false') return { value: false };
  return { reason: `${shownValue(value)} is neither true nor false. Write true or false.` };
}

const shownLength = 60;

/** Returns a value of any type as a short text, strings in quotes. */
export function shownValue(value: unknown): string {
  const plain = value instanceof Set ? [...value] : value;
  const text = (typeof plain === 'bigint' ? String(plain) : JSON.stringify(plain)) ?? String(plain);
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/** If the actor in a row is older than this, it was copied with the row, or its change was never made. */
const markValidSeconds = 60;

/**
 * Returns the value of the attribute `changed_by`. The shell and the admin API store the actor in it, because a stream
 * record does not show who made a change.
 *
 * @param removal - true if the row is deleted afterwards
 */
export function changedByMark(actor: string, now: Date, removal: boolean): string {
  return `${actor} at ${now.toISOString()}${removal ? ' (removal)' : ''}`;
}

/** Returns who made the change, and when, to the millisecond; undefined if the attribute belongs to an earlier change. */
export function changeOf(
  mark: string | undefined,
  streamedAt: Date,
  removal: boolean,
): { readonly actor: string; readonly at: Date } | undefined {
  const [, actor, time = '', removed] = /^(.+) at (\S+Z)( \(removal\))?$/s.exec(mark ?? '') ?? [];
  const at = new Date(time);
  if (actor === undefined || Number.isNaN(at.getTime()) || (removed !== undefined) !== removal)
    return undefined;
  const near =
    at >= addSeconds(streamedAt, -markValidSeconds) && at <= addSeconds(streamedAt, markValidSeconds);
  return near ? { actor, at } : undefined;
}

/** `client_id` and the table's sort key. */
export type RowKey = Readonly<Record<string, string>>;

/** Returns the table's name from the context's environment. */
export function tableNameOf<Variable extends EditedVariable>(
  { env }: Context<Variable>,
  { variable }: EditedTable<Variable>,
): string {
  const names: Readonly<Record<string, unknown>> = env;
  return names[variable] as string;
}

/** Reads all rows of a client in pages, because a client can have a sender for each country and channel. */
export async function readEditedRows<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  clientId: string,
): Promise<EditedRow[]> {
  return Array.fromAsync(
    queryRows(ctx.db, {
      TableName: tableNameOf(ctx, table),
      KeyConditionExpression: 'client_id = :client_id',
      ExpressionAttributeValues: { ':client_id': clientId },
    }),
  );
}

export async function readAllEditedRows<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
): Promise<EditedRow[]> {
  return Array.fromAsync(scanRows(ctx.db, { TableName: tableNameOf(ctx, table) }));
}

/** Reads a page of the rows of one client, or of all clients. */
export async function readEditedPage<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  {
    limit,
    clientId,
    after,
  }: { readonly limit: number; readonly clientId: string | undefined; readonly after: RowKey | undefined },
) {
  const page = { TableName: tableNameOf(ctx, table), Limit: limit, ExclusiveStartKey: after };
  const { Items = [], LastEvaluatedKey } =
    clientId === undefined
      ? await ctx.db.send(new ScanCommand(page))
      : await ctx.db.send(
          new QueryRowsCommand({
            ...page,
            KeyConditionExpression: 'client_id = :client_id',
            ExpressionAttributeValues: { ':client_id': clientId },
          }),
        );
  const last: RowKey | undefined = LastEvaluatedKey;
  return { rows: Items, last };
}

/**
 * Counts the rows with the feedback `invalid`, with one read. @param rowsMax - the maximum number of rows to read; DynamoDB
 * may stop earlier, after 1 MB
 */
export async function countInvalidRows<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  rowsMax: number,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const { Count = 0, LastEvaluatedKey } = await ctx.db.send(
    new ScanCommand({
      TableName: tableNameOf(ctx, table),
      Select: 'COUNT',
      FilterExpression: '#status = :invalid',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':invalid': 'invalid' },
      Limit: rowsMax,
    }),
  );
  return { count: Count, more: LastEvaluatedKey !== undefined };
}

/** An edit of a row, which writes nothing if the row already has these values. */
type RowEdit =
  /** Sets these attributes, removes undefined ones, and keeps all others. */
  | { readonly set: Readonly<Record<string, unknown>> }
  /** Stores the actor in the row, then deletes it, because the stream record of a deletion contains only the old row. */
  | { readonly removeMarked: string }
  | undefined;

/**
 * Edits a row. If another edit comes first, reads the row and calls `editOf` again, so that neither edit is lost.
 *
 * @param editOf - gets the current row; undefined if the row does not exist, such as after a previous try deleted it
 * @throws GatewayError `concurrent_change` if the row changes during every try.
 */
export async function editRow<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  key: RowKey,
  editOf: (row: EditedRow | undefined, attempt: number) => RowEdit | Promise<RowEdit>,
): Promise<void> {
  const target = { TableName: tableNameOf(ctx, table), Key: marshall(key) };
  let attempt = 0;
  await retryConflicts(async () => {
    const image = await readImage(ctx.db, target.TableName, table.sortKey, key);
    const row = image === undefined ? undefined : unmarshall(image, { wrapNumbers: Number });
    attempt += 1;
    const edit = await editOf(row, attempt);
    if (edit === undefined) return true;
    const unchanged = unchangedRow(image, table.attributes);
    if ('set' in edit) return setValues(ctx.db, target, row, edit.set, unchanged);
    return image === undefined || removeRow(ctx.db, target, edit.removeMarked, unchanged);
  });
}

/** Uses a query, because everybody who may edit rows may also query them. */
async function readImage(
  db: DynamoDBDocumentClient,
  TableName: string,
  sortKey: string,
  key: RowKey,
): Promise<Image | undefined> {
  const { Items: [image] = [] } = await db.send(
    new QueryCommand({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'client_id = :client_id AND #sort = :sort',
      ExpressionAttributeNames: { '#sort': sortKey },
      ExpressionAttributeValues: marshall({ ':client_id': key.client_id, ':sort': key[sortKey] }),
    }),
  );
  return image;
}

/** Writes only the differences, so that unchanged values stay as the operator typed them. */
async function setValues(
  db: DynamoDBDocumentClient,
  target: { readonly TableName: string; readonly Key: Image },
  row: EditedRow | undefined,
  values: Readonly<Record<string, unknown>>,
  unchanged: Unchanged,
): Promise<boolean> {
  const changed = Object.entries(values).filter(([name, value]) => value !== row?.[name]);
  if (changed.length === 0) return true;
  const { UpdateExpression, ...change } = setOrRemove(Object.fromEntries(changed));
  const { applied } = await conditionalUpdateItem(db, {
    ...target,
    UpdateExpression,
    ...withAttributes(unchanged, change.ExpressionAttributeNames, change.ExpressionAttributeValues ?? {}),
  });
  return applied;
}

async function removeRow(
  db: DynamoDBDocumentClient,
  target: { readonly TableName: string; readonly Key: Image },
  changedBy: string,
  unchanged: Unchanged,
): Promise<boolean> {
  const mark = { ':changed_by': changedBy };
  const { applied: marked } = await conditionalUpdateItem(db, {
    ...target,
    UpdateExpression: 'SET changed_by = :changed_by',
    ...withAttributes(unchanged, {}, mark),
  });
  if (!marked) return false;
  const ConditionExpression = `${unchanged.ConditionExpression} AND changed_by = :changed_by`;
  const { applied } = await conditionalDeleteItem(db, {
    ...target,
    ...withAttributes({ ...unchanged, ConditionExpression }, {}, mark),
  });
  return applied;
}

type Unchanged = ReturnType<typeof unchangedRow>;

/** Adds the attributes unless the list is empty, because DynamoDB refuses an empty list. */
function withAttributes(
  unchanged: Unchanged,
  names: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
) {
  const { ConditionExpression } = unchanged;
  const ExpressionAttributeNames = { ...unchanged.ExpressionAttributeNames, ...names };
  const ExpressionAttributeValues = { ...unchanged.ExpressionAttributeValues, ...marshall(values) };
  return {
    ConditionExpression,
    ...(Object.keys(ExpressionAttributeNames).length === 0 ? {} : { ExpressionAttributeNames }),
    ...(Object.keys(ExpressionAttributeValues).length === 0 ? {} : { ExpressionAttributeValues }),
  };
}

/**
 * A row with DynamoDB's own types, to check that it has not changed since it was read. A number can have more digits than a
 * JavaScript number.
 */
export type Image = Readonly<Record<string, AttributeValue>>;

/**
 * Returns the condition that the row has not changed.
 *
 * @param image - the row as it was read; undefined if it did not exist
 * @param attributes - the attributes to compare
 */
export function unchangedRow(image: Image | undefined, attributes: readonly string[]) {
  if (image === undefined) {
    return {
      ConditionExpression: 'attribute_not_exists(client_id)',
      ExpressionAttributeNames: {},
      ExpressionAttributeValues: {},
    };
  }
  const conditions = attributes.map((name, index) =>
    image[name] === undefined ? `attribute_not_exists(#old${index})` : `#old${index} = :old${index}`,
  );
  return {
    // This condition stops an update from creating a missing row.
    ConditionExpression: ['attribute_exists(client_id)', ...conditions].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#old${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      attributes.flatMap((name, index): [string, AttributeValue][] => {
        const value = image[name];
        return value === undefined ? [] : [[`:old${index}`, value]];
      }),
    ),
  };
}
