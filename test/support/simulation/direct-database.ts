/**
 * A client of the simulated database whose calls take effect at once: for unit tests, for what a simulated run begins with,
 * and for edits by hand. A call skips the SDK's protocol, which takes ten times as long as the database, and keeps what
 * adapters see of it: marshalled values, and the SDK's own classes of errors.
 */
import * as errors from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';
import type { Item, Value } from './aws/attribute-values.ts';
import type { DynamoDb } from './aws/dynamodb.ts';
import { ServiceError } from './aws/service-error.ts';

type Fields = Readonly<Record<string, unknown>>;

interface DatabaseCall {
  /** `UpdateItem` */
  readonly operation: string;
  /** With marshalled values. */
  readonly input: Fields;
}

/** Decides about a call; `run` executes it. @throws the client's error */
export type AroundCall = (call: DatabaseCall, run: () => object) => object | Promise<object>;

/** A command of either client. A command of the document client contains one of the other client. */
interface Command {
  readonly input: Fields;
  readonly clientCommand?: object;
}

const rowsIn: ReadonlySet<string> = new Set([
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
]);
const rowsOut: ReadonlySet<string> = new Set([
  'Item',
  'Attributes',
  'LastEvaluatedKey',
  'Items',
  'Responses',
]);

export function directDatabase(database: DynamoDb, around?: AroundCall): DynamoDBDocumentClient {
  function run({ operation, input }: DatabaseCall): object {
    try {
      return database.call(operation, input);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw clientError(error.code, error.message, error.fields);
    }
  }
  const client = {
    async send(command: Command): Promise<object> {
      const { clientCommand } = command;
      const operation = (clientCommand ?? command).constructor.name.replace(/Command$/, '');
      const input = clientCommand === undefined ? command.input : marshalled(command.input);
      const call = { operation, input };
      const output = await (around?.(call, () => run(call)) ?? run(call));
      return clientCommand === undefined ? output : unmarshalled(output);
    },
    destroy() {},
  };
  // The SDK's paginators ask for the class.
  return Object.assign(Object.create(DynamoDBDocumentClient.prototype), client);
}

/** The error that the SDK makes of a response. */
function clientError(name: string, message: string, fields: Fields = {}): Error {
  const known: unknown = Reflect.get(errors, name);
  const given = { message, $metadata: { httpStatusCode: 400 }, ...fields };
  if (typeof known === 'function') return Reflect.construct(known, [given]);
  return new errors.DynamoDBServiceException({ name, $fault: 'client', ...given });
}

function marshalled(input: Fields): Fields {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (rowsIn.has(name)) result[name] = marshalledRow(value);
    else if (name === 'Keys') result[name] = (value as unknown[]).map(marshalledRow);
    else if (Array.isArray(value)) result[name] = value.map(marshalledFields);
    else result[name] = marshalledFields(value);
  }
  return result;
}

function marshalledFields(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? marshalled(value as Fields) : value;
}

function marshalledRow(row: unknown): Item {
  const item: Record<string, Value> = {};
  for (const [name, data] of Object.entries(Object(row))) {
    const value = attributeOf(data);
    if (value !== undefined) item[name] = value;
  }
  return item;
}

/** As the SDK marshals it, in a fraction of the time. */
function attributeOf(data: unknown): Value | undefined {
  if (data === undefined) return undefined;
  if (typeof data === 'string') return { S: data };
  if (typeof data === 'boolean') return { BOOL: data };
  if (Number.isSafeInteger(data)) return { N: String(data) };
  if (Array.isArray(data)) return { L: data.flatMap((each) => attributeOf(each) ?? []) };
  if (data === null) return { NULL: true };
  if (Object(data).constructor === Object) return { M: marshalledRow(data) };
  const value = convertToAttr(data as never, { removeUndefinedValues: true });
  return value.B === undefined ? (value as Value) : { B: Buffer.from(value.B).toString('base64') };
}

function unmarshalled(output: object): object {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(output)) {
    if (!rowsOut.has(name)) result[name] = value;
    else if (Array.isArray(value)) result[name] = value.map(plainRow);
    else if (name === 'Responses')
      result[name] = Object.fromEntries(
        Object.entries(value as Record<string, Item[]>).map(([table, rows]) => [table, rows.map(plainRow)]),
      );
    else result[name] = plainRow(value as Item);
  }
  return result;
}

/** The row as the document client gives it. */
export function plainRow(row: Item): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const name in row) plain[name] = plainOf(row[name] as Value);
  return plain;
}

function plainOf(value: Value): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('M' in value) return plainRow(value.M);
  if ('L' in value) return value.L.map(plainOf);
  if ('B' in value) return new Uint8Array(Buffer.from(value.B, 'base64'));
  return convertToNative(value as never, { wrapNumbers: Number });
}
