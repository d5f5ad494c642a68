/**
 * Commands made from the operations of the admin API. The parameters of the path are the words of the command; the fields of
 * the body or the query are its options.
 */

import * as z from 'zod/mini';
import { clientIdOrAll, ofMode, rowOwnerOf } from '../../shared/admin/find-client.ts';
import type { AdminOperation } from '../../shared/admin/http/admin-operation.ts';
import { adminOperations, type ResponseOf } from '../../shared/admin/http/admin-operations.ts';
import { type AdminApiRouteName, adminApiRoutes } from '../../shared/contract/admin-api-routes.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { everyClient } from '../../shared/contract/rate-limits-and-caps.ts';
import { overrideTable } from '../../shared/limit/overrides.ts';
import { type Cell, csvTable } from '../../shared/platform/csv.ts';
import { jsonIn } from '../../shared/platform/object-fields.ts';
import { senderTable } from '../../shared/sender/sender-row.ts';
import { type UsageList, usageCsv } from '../../shared/usage/usage-csv.ts';
import type { AdminCommand, Session } from './command.ts';
import { timeForms, timeOf } from './options.ts';

/** A part of a JSON schema (draft 2020-12). */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly FieldSchema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
}

type Fields = Readonly<Record<string, FieldSchema>>;
type Given = Readonly<Record<string, unknown>>;

const pageSizeMax = 100;

export function addOperation<Name extends AdminApiRouteName>(
  parent: AdminCommand,
  command: string,
  name: Name,
  {
    description,
    words = [],
    fixed,
    text,
  }: {
    readonly description?: string;
    /** Fields that are given as words of the command. */
    readonly words?: readonly string[];
    /** Values that the command sets itself. The command then has no options for the other fields of the operation. */
    readonly fixed?: Given;
    /** Formats the response as text; JSON by default. */
    readonly text?: (response: ResponseOf<Name>) => string | readonly string[];
  } = {},
): AdminCommand {
  const { method, path } = adminApiRoutes[name];
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter);
  const fields = fixed === undefined ? fieldsOf(name) : {};
  const added = parent.command(command).description(description ?? `${method} ${path}`);
  for (const word of [...parameters, ...words]) added.argument(`<${optionName(word)}>`);
  addFieldOptions(added, without(fields, words));
  if (Object.keys(fields).length > 0)
    added.option('--fields <json>', 'fields as a JSON object; an option replaces the value of its field');
  if ('cursor' in fields && text === undefined) added.option('--all', 'all pages', false);
  if (('cursor' in fields || name.startsWith('list')) && text === undefined)
    added.option('--csv', 'print the list as CSV (RFC 4180)', false);
  return added.run(async (session, ...given: unknown[]) => {
    const options = given.at(-1) as { all?: boolean; csv?: boolean; fields?: string };
    const values = given.slice(0, -1).map(String);
    const inPath = Object.fromEntries(parameters.map((parameter, at) => [parameter, values[at] ?? '']));
    const ofWords = Object.fromEntries(
      words.map((word, at) => [word, fieldValue(values[parameters.length + at] ?? '', fields[word])]),
    );
    const wanted = {
      ...objectIn(options.fields),
      ...fieldsIn(options, fields, session.ctx.clock()),
      ...ofWords,
      ...fixed,
    };
    const response = options.all
      ? await callForAll(session, name, inPath, wanted)
      : await callOperation(session, name, inPath, wanted);
    return {
      json: response,
      text: () =>
        options.csv
          ? csvOf(name, response)
          : (text?.(response as ResponseOf<Name>) ?? JSON.stringify(response, undefined, 2)),
    };
  });
}

/** @param path - a `client_id` in the path or in the fields may be the client's name */
export async function callOperation<Name extends AdminApiRouteName>(
  session: Session,
  name: Name,
  path: Readonly<Record<string, string>>,
  fields: Given,
): Promise<ResponseOf<Name> & Given> {
  const { ctx, actor } = session;
  const operation: AdminOperation = adminOperations[name];
  const [inPath, given] = await Promise.all([
    withClientId(session, name, path),
    withClientId(session, name, fields),
  ]);
  const client = {
    client_id: actor,
    name: actor,
    scopes: ['admin' as const],
    disabled: false,
    secrets: [],
    created_at: ctx.clock().toISOString(),
  };
  const response = await operation.run(
    ctx,
    {
      body: given,
      // All values of a query are strings.
      query: Object.fromEntries(Object.entries(given).map(([field, value]) => [field, String(value)])),
      caller: { clientId: actor, scopes: client.scopes, client },
    },
    inPath as Readonly<Record<string, string>>,
  );
  return response as ResponseOf<Name> & Given;
}

/** Reads all pages of a list. */
async function callForAll(
  session: Session,
  name: AdminApiRouteName,
  path: Readonly<Record<string, string>>,
  fields: Given,
) {
  const read = (cursor: unknown): Promise<Given> =>
    callOperation(session, name, path, {
      limit: pageSizeMax,
      ...fields,
      ...(cursor === undefined ? {} : { cursor }),
    });
  let { next_cursor, ...response } = await read(undefined);
  const [list = '', first = []] = listIn(response);
  const rows = [...first];
  while (next_cursor !== undefined) {
    ({ next_cursor, ...response } = await read(next_cursor));
    rows.push(...(response[list] as readonly Given[]));
  }
  return { ...response, [list]: rows };
}

function listIn(response: Given): readonly [name: string, rows: readonly Given[]] | [] {
  const found = Object.entries(response).find(([, value]) => Array.isArray(value));
  return found === undefined ? [] : [found[0], found[1] as readonly Given[]];
}

function csvOf(name: AdminApiRouteName, response: Given): string {
  if (name === 'listUsage') return usageCsv(response as unknown as UsageList);
  return rowsAsCsv(listIn(response)[1] ?? []);
}

export function rowsAsCsv(rows: readonly Given[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return csvTable(
    columns,
    rows.map((row) => columns.map((column) => cellOf(row[column]))),
  );
}

function cellOf(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}

/** Operations on rows whose client may not exist, because administrators also create rows by hand. */
const editedTables = {
  showLimits: overrideTable,
  removeLimits: overrideTable,
  removeSender: senderTable,
} as const;

async function withClientId({ ctx, mode }: Session, name: AdminApiRouteName, given: Given): Promise<Given> {
  const { client_id: named } = given;
  if (typeof named !== 'string') return given;
  const id =
    name in editedTables
      ? await rowOwnerOf(ctx, editedTables[name as keyof typeof editedTables], named)
      : await clientIdOrAll(ctx, named);
  return { ...given, client_id: id === everyClient ? id : ofMode(id, mode === 'test') };
}

/** Returns the fields of an operation, without the data mode, which is an option of the program. */
export function fieldsOf(name: AdminApiRouteName): Fields {
  const schema = adminOperations[name].schema({ webhookUrl: z.string() });
  if (schema === undefined) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return without(properties as Fields, ['test', 'mode']);
}

export function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns the option of a field. `client_id` also accepts a name, so its option is `client`. */
const optionName = (field: string): string => (field === 'client_id' ? 'client' : field.replaceAll('_', '-'));
const attributeName = (field: string): string =>
  optionName(field).replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());

export function addFieldOptions(command: AdminCommand, fields: Fields): void {
  for (const [field, schema] of Object.entries(fields))
    command.option(`--${optionName(field)} <value>`, descriptionOf(field, schema));
}

function descriptionOf(field: string, schema: FieldSchema): string {
  if (field === 'client_id') return 'id or name';
  if (isTime(schema)) return timeForms;
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.join(', ');
  return [...typesOf(schema)].join(' or ').replace('array', 'list, separated by commas');
}

const choicesOf = ({ enum: choices, anyOf = [] }: FieldSchema): readonly unknown[] =>
  choices ?? anyOf.flatMap(choicesOf);

const isTime = ({ format, anyOf = [] }: FieldSchema): boolean => format === 'date-time' || anyOf.some(isTime);

function typesOf({ type = [], anyOf = [] }: FieldSchema): ReadonlySet<string> {
  return new Set([...[type].flat(), ...anyOf.flatMap((one) => [...typesOf(one)])]);
}

/** Returns the fields in the options of a command. */
export function fieldsIn(options: object, fields: Fields, now: Date): Given {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) => {
      const text: unknown = Reflect.get(options, attributeName(field));
      if (typeof text !== 'string') return [];
      const value = isTime(schema)
        ? timeOf(optionName(field), text, now).toISOString()
        : fieldValue(text, schema);
      return [[field, value]];
    }),
  );
}

/**
 * Parses the value of a field. Returns the text unchanged unless it is JSON of the field's type. A list may be separated by
 * commas.
 */
function fieldValue(text: string, schema: FieldSchema = {}): unknown {
  const types = typesOf(schema);
  const value = jsonIn(text);
  const isOfType = types.has(typeName(value)) || (typeof value === 'number' && types.has('integer'));
  if (value !== undefined && (types.size === 0 || isOfType)) return value;
  return types.has('array') ? text.split(',').map((item) => item.trim()) : text;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function objectIn(text: string | undefined): Given {
  if (text === undefined) return {};
  const value = jsonIn(text);
  if (typeName(value) === 'object') return value as Given;
  throw new GatewayError('invalid_request', '--fields is not a JSON object.');
}
