/**
 * `call …`: runs an operation of the admin API by its name. The words of the command are the path's parameters, and its
 * options are the fields of the body or query. It also runs operations on set-aside messages, which are not part of the
 * API.
 */

import * as z from 'zod/mini';
import { clientIdOrAll, ofMode, rowOwnerOf } from '../../shared/admin/find-client.ts';
import type { AdminOperation } from '../../shared/admin/http/admin-operation.ts';
import { adminOperations } from '../../shared/admin/http/admin-operations.ts';
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
import { addSetAsideOperations } from './set-aside-operations.ts';

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

export function addCallCommand(program: AdminCommand): void {
  const call = program
    .command('call')
    .description('calls an operation of the admin API, and prints its response as JSON')
    .addHelpText(
      'after',
      `
An option is a field of the operation. null removes a value; a list has commas. A client is its id or its name.

Examples:
  $ npm run admin -- call createClient --name "Web shop"
  $ npm run admin -- call changeClient "Web shop" --countries GB,FR --senders ACME,otp,whatsapp
  $ npm run admin -- call rotateClientSecret "Web shop" --overlap-hours 0
  $ npm run admin -- call setLimits "Web shop" --endpoint sms_send --per-minute 300
  $ npm run admin -- call explainLimits "Web shop"
  $ npm run admin -- call searchMessages --client "Web shop" --status failed --since 2h
  $ npm run admin -- call resendWebhookDeliveries "Web shop" --since 2h
  $ npm run admin -- call listActivity --kind changes --actor "petra (shell)" --since 7d
  $ npm run admin -- call allowOtps "Web shop" FR
  $ npm run --silent admin -- call listUsage --interval month --group-by client --csv > usage.csv
  $ npm run admin -- call processSetAside --all
  $ npm run admin -- call setLimits --help`,
    );
  for (const name of Object.keys(adminApiRoutes) as AdminApiRouteName[]) addOperation(call, name);
  addSetAsideOperations(call);
}

function addOperation(call: AdminCommand, name: AdminApiRouteName): void {
  const { method, path } = adminApiRoutes[name];
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter);
  const fields = fieldsOf(name);
  const added = call.command(name).description(`${method} ${path}`);
  for (const parameter of parameters) added.argument(`<${optionName(parameter)}>`);
  for (const [field, schema] of Object.entries(fields))
    added.option(`--${optionName(field)} <value>`, descriptionOf(field, schema));
  if (Object.keys(fields).length > 0)
    added.option('--fields <json>', 'fields as a JSON object; an option replaces the value of its field');
  if ('cursor' in fields) added.option('--all', 'all pages', false);
  if (name.startsWith('list') || 'cursor' in fields)
    added.option('--csv', 'print the list as CSV (RFC 4180)', false);
  added.run(async (session, ...given: unknown[]) => {
    const options = given.at(-1) as { all?: boolean; csv?: boolean; fields?: string };
    const inPath = Object.fromEntries(parameters.map((parameter, at) => [parameter, String(given[at])]));
    const wanted = { ...objectIn(options.fields), ...fieldsIn(options, fields, session.ctx.clock()) };
    const response = options.all
      ? await callForAll(session, name, inPath, wanted)
      : await callOperation(session, name, inPath, wanted);
    return {
      json: response,
      text: () => (options.csv ? csvOf(name, response) : JSON.stringify(response, undefined, 2)),
    };
  });
}

/** @param path - a `client_id` in the path or in the fields can also be the client's name */
async function callOperation(
  session: Session,
  name: AdminApiRouteName,
  path: Readonly<Record<string, string>>,
  fields: Given,
): Promise<Given> {
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
  return response as Given;
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

/** Operations on rows of clients that may not exist, because administrators can create rows in the console. */
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

/** Returns an operation's fields without the data mode, which is an option of the program. */
function fieldsOf(name: AdminApiRouteName): Fields {
  const schema = adminOperations[name].schema({ webhookUrl: z.string() });
  if (schema === undefined) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties as Fields).filter(
      ([field, { enum: values }]) => field !== 'test' && !(field === 'mode' && values?.includes('test')),
    ),
  );
}

/** Returns the option of a field. `client_id` also accepts a name, so its option is `client`. */
const optionName = (field: string): string => (field === 'client_id' ? 'client' : field.replaceAll('_', '-'));
const attributeName = (field: string): string =>
  optionName(field).replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());

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
function fieldsIn(options: object, fields: Fields, now: Date): Given {
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
 * Parses the value of a field. A text stays a text unless it is JSON of the field's type. A list can be given as items
 * separated by commas.
 */
function fieldValue(text: string, schema: FieldSchema): unknown {
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
