/** The inputs of every operation, from the schemas and routes themselves, so that a new field is included. */
import * as z from 'zod/mini';
import type { Description } from '../../../lib/build/openapi/description.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { operations } from '../../../lib/build/openapi/operations.ts';
import { adminOperations } from '../../../shared/admin/http/admin-operations.ts';
import { type AdminApiRouteName, adminApiRoutes } from '../../../shared/contract/admin-api-routes.ts';
import {
  adminRoutes,
  type Route,
  type RouteName,
  routes,
  unmatchedRoute,
} from '../../../shared/contract/routes.ts';
import { newId } from '../../../shared/platform/ids.ts';

/** Keys into a body; a number is a place in a list. */
type FieldPath = readonly (string | number)[];

interface OperationInputs {
  readonly name: string;
  readonly route: Route;
  readonly method: string;
  /** With `{name}` for each path parameter. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly queryNames: readonly string[];
  /** Valid or nearly valid bodies. Empty if the operation reads no body. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  readonly fields: readonly FieldPath[];
}

type Schema = { readonly [keyword: string]: unknown };

/** Made once: each document takes some 20 ms. */
const { schemas } = openApiDocument().components;

/** The path of every value below a schema, objects and lists included. */
function fieldPaths(schema: Schema): FieldPath[] {
  const below = (inner: unknown): FieldPath[] => {
    if (typeof inner !== 'object' || inner === null) return [];
    const { $ref, anyOf, oneOf, allOf, properties, items, additionalProperties } = inner as Schema;
    const step = (key: string | number, child: unknown): FieldPath[] => [
      [key],
      ...below(child).map((path) => [key, ...path]),
    ];
    return [
      ...(typeof $ref === 'string' ? below(schemas[$ref.split('/').at(-1) ?? '']) : []),
      ...[anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.flatMap(below) : [])),
      ...Object.entries(properties ?? {}).flatMap(([key, child]) => step(key, child)),
      ...(typeof items === 'object' ? step(0, items) : []),
      ...(typeof additionalProperties === 'object' ? step('a_name', additionalProperties) : []),
    ];
  };
  const paths = below(schema);
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/** A copy of `body` with `value` at `path`. */
export function withValueAt(body: unknown, [key, ...rest]: FieldPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list: unknown[] = Array.isArray(body) ? [...body] : [];
    list[key] = withValueAt(list[key], rest, value);
    return list;
  }
  const known = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  const inner: unknown = Object.hasOwn(known, key) ? Reflect.get(known, key) : undefined;
  return { ...known, [key]: withValueAt(inner, rest, value) };
}

const anyUrl = { webhookUrl: z.string() };
const jsonOf = (schema: z.ZodMiniType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;

const adminExamples: Partial<Record<AdminApiRouteName, Readonly<Record<string, unknown>>>> = {
  createClient: { name: 'A shop' },
  changeClient: { webhook_url: 'https://example.com/hook', countries: ['GB'], senders: ['ACME'] },
  setLimits: { endpoint: 'POST /api/v1/sms/send', per_minute: 100 },
  removeLimits: { endpoint: 'POST /api/v1/sms/send' },
  setSender: { client_id: '*', country: 'GB', identity: 'ACME' },
  removeSender: { client_id: '*', destination: 'sms GB' },
  putSuppression: { reason: 'Asked by phone', scope: 'all' },
  sendInbound: { from: '+447700900123', to: '+447418367358', text: 'Hello' },
  resendWebhookDeliveries: { since: '2026-11-20T10:00:00.000Z' },
};

const pathParametersOf = (path: string, clientId: string): Record<string, string> => {
  const examples: Readonly<Record<string, string>> = {
    client_id: clientId,
    key_id: 'key_0123456789abcdef',
    message_id: newId('msg', new Date()),
    delivery_id: newId('whd', new Date()),
    endpoint_id: newId('whe', new Date()),
    resend_id: newId('whr', new Date()),
    recipient: '+447700900123',
    person: '+447700900123',
    proxy: 'no/such/path',
  };
  return Object.fromEntries(
    [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => [name, examples[name] ?? 'unknown']),
  );
};

/** @param clientId - the client whose settings the admin API changes */
export function operationInputs(clientId: string): readonly OperationInputs[] {
  const documented = (Object.keys(routes) as RouteName[]).map((name): OperationInputs => {
    // A page has no description and reads nothing.
    const described: Partial<Record<RouteName, Description>> = operations;
    const { request, parameters = [] } = described[name] ?? {};
    const schema = request === undefined ? {} : schemas[request.schema];
    const { method, path } = routes[name];
    return {
      name,
      route: routes[name],
      method,
      path,
      pathParameters: pathParametersOf(path, clientId),
      queryNames: parameters
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => parameter.name),
      bodies: Object.values(request?.examples ?? {}).map(({ value }) => value as Record<string, unknown>),
      fields: fieldPaths(schema ?? {}),
    };
  });
  const admin = (Object.keys(adminApiRoutes) as AdminApiRouteName[]).map((name): OperationInputs => {
    const { method, path } = adminApiRoutes[name];
    const schema = adminOperations[name].schema(anyUrl);
    const fields = schema === undefined ? [] : fieldPaths(jsonOf(schema));
    const reads = method === 'GET' ? 'query' : 'body';
    return {
      name,
      route: adminRoutes.adminApi,
      method,
      path,
      pathParameters: pathParametersOf(path, clientId),
      queryNames: reads === 'query' ? fields.map((field) => field.join('.')) : [],
      bodies: reads === 'body' && schema !== undefined ? [adminExamples[name] ?? {}] : [],
      fields: reads === 'body' ? fields : [],
    };
  });
  const unmatched: OperationInputs = {
    name: 'unmatched',
    route: unmatchedRoute,
    method: 'POST',
    path: unmatchedRoute.path,
    pathParameters: pathParametersOf(unmatchedRoute.path, clientId),
    queryNames: [],
    bodies: [],
    fields: [],
  };
  return [...documented, ...admin, unmatched];
}
