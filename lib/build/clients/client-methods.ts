/**
 * Determines the methods of the clients in `clients/`: one for each operation of the API document, grouped by resource. A
 * method's name is derived from the path and the operationId.
 */
import type { OpenApiDocument, OpenApiOperation } from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/named-schemas.ts';

export interface ClientMethod {
  readonly operationId: string;
  /** The words of the resource in lower case, such as `['webhook', 'endpoints']`. */
  readonly resource: readonly string[];
  readonly name: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** The names of the schemas of the query and of the body. */
  readonly query: string | undefined;
  readonly body: string | undefined;
  readonly isBodyOptional: boolean;
  readonly response: string;
  /**
   * When a client retries a request whose result is unknown: always, with the first attempt's idempotency key, or only if
   * the gateway certainly did not accept it.
   */
  readonly repeat: 'always' | 'with_key' | 'if_refused';
  /** True if the method sends nothing, and only returns what a send would return. */
  readonly isDryRun: boolean;
  /** The field with the items, and the items' schema; undefined if the response has no pages. */
  readonly pages: { readonly field: string; readonly item: string } | undefined;
}

/** Operations without a method. The clients request tokens themselves. */
const withoutMethod = ['issueToken'];

/** Methods whose names cannot be derived. The path of the look-up is for SMS, but it finds all messages and batches. */
const named: Readonly<Record<string, readonly { readonly method: string; readonly response: string }[]>> = {
  getMessageStatus: [
    { method: 'messages.get', response: 'Message' },
    { method: 'batches.get', response: 'Batch' },
  ],
};

/** @throws Error if two operations would have the same method, or if one has no response */
export function clientMethods({ paths, components }: OpenApiDocument): ClientMethod[] {
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => !withoutMethod.includes(operationId))
      .flatMap(([httpMethod, operation]) => methodsOf(path, httpMethod, operation, components.schemas)),
  );
  const distinct = methods.map((method) =>
    methods.some((other) => other !== method && isSameMethod(other, method) && method.ofMany)
      ? { ...method, name: [...method.name, 'many'] }
      : method,
  );
  const twice = distinct.find((method, index) =>
    distinct.slice(index + 1).some((other) => isSameMethod(other, method)),
  );
  if (twice !== undefined)
    throw new Error(`two operations would be ${twice.resource.join('_')}.${twice.name.join('_')}: name them`);
  return distinct.map(({ ofMany, ...method }) => method);
}

interface NamedMethod extends ClientMethod {
  /** True if the operationId contains the resource in the plural. */
  readonly ofMany: boolean;
}

function isSameMethod(one: ClientMethod, other: ClientMethod): boolean {
  return one.resource.join() === other.resource.join() && one.name.join() === other.name.join();
}

function methodsOf(
  path: string,
  httpMethod: string,
  operation: OpenApiOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
): NamedMethod[] {
  const { operationId, parameters = [], summary, description } = operation;
  const response = responseOf(operation);
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  const common = {
    operationId,
    summary,
    description,
    httpMethod: httpMethod.toUpperCase(),
    path,
    pathParameters: parameters.filter((one) => one.in === 'path').map(({ name }) => String(name)),
    query: parameters.some((one) => one.in === 'query') ? queryName(operationId) : undefined,
    body: schemaName(operation.requestBody?.content['application/json']?.schema),
    isBodyOptional: operation.requestBody?.required !== true,
    repeat: isKeyed ? ('with_key' as const) : httpMethod === 'post' ? 'if_refused' : 'always',
    isDryRun: false,
    pages: pagesOf(operation, response, schemas),
  } satisfies Partial<ClientMethod>;
  const given = named[operationId];
  if (given !== undefined) {
    return given.map((one) => {
      const [resource = '', name = ''] = one.method.split('.');
      return { ...common, resource: [resource], name: [name], response: one.response, ofMany: false };
    });
  }
  const resource = (path.split('/')[3] ?? '').split('-');
  const method = { ...common, resource, response, ...nameOf(operationId, resource) };
  return [method, ...dryRunOf(operation, method)];
}

/**
 * Returns the method for the dry run of a send, such as `sms.dry_run_bulk` for `sms.send_bulk`. A dry run has its own
 * method, because its response has another type.
 */
function dryRunOf({ 'x-dry-run': dryRun }: OpenApiOperation, send: NamedMethod): NamedMethod[] {
  const response = schemaName(dryRun?.response.content['application/json']?.schema);
  if (response === undefined) return [];
  const [, ...object] = send.name;
  return [
    {
      ...send,
      name: ['dry', 'run', ...object],
      summary: `${send.summary}: dry run`,
      description:
        'Returns the sender, the segments, the estimated cost, and every reason to refuse the request. Stores and sends nothing, and counts only towards the rate limit.',
      response,
      repeat: 'always',
      isDryRun: true,
    },
  ];
}

/**
 * Returns a method's name without the resource, such as `rotate secret` for `rotateWebhookEndpointSecret`, and `get resend`
 * for `getWebhookResend`.
 */
function nameOf(operationId: string, resource: readonly string[]) {
  const words = wordsOf(operationId);
  const plural = resource.join('');
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
  const [firstWord = plural] = resource;
  for (const noun of [plural, singular, firstWord]) {
    for (let from = 0; from < words.length; from += 1) {
      for (let to = from + 1; to <= words.length; to += 1) {
        if (words.slice(from, to).join('') !== noun) continue;
        return { name: [...words.slice(0, from), ...words.slice(to)], ofMany: noun === plural };
      }
    }
  }
  return { name: words, ofMany: false };
}

function wordsOf(operationId: string): string[] {
  return operationId.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
}

/**
 * Returns the name of the schema for an operation's query parameters. The API document has no such schema, because it
 * describes each parameter separately.
 */
export function queryName(operationId: string): string {
  return `${capitalized(operationId)}Query`;
}

function responseOf({ operationId, responses }: OpenApiOperation): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const name = schemaName(success?.content['application/json']?.schema);
  if (name === undefined) throw new Error(`the response of ${operationId} has no named schema`);
  return name;
}

function pagesOf(
  { parameters = [] }: OpenApiOperation,
  response: string,
  schemas: Readonly<Record<string, JsonSchema>>,
): ClientMethod['pages'] {
  if (!parameters.some(({ name }) => name === 'cursor')) return undefined;
  const fields = Object.entries((schemas[response]?.properties ?? {}) as Record<string, JsonSchema>);
  const [field, list] = fields.find(([, { type }]) => type === 'array') ?? [];
  const item = schemaName(list?.items as JsonSchema | undefined);
  return field === undefined || item === undefined ? undefined : { field, item };
}

/** Returns the type of a method's options, which both clients define. */
export function optionsOf({ repeat, pages }: ClientMethod): 'ListOptions' | 'SendOptions' | 'RequestOptions' {
  if (pages !== undefined) return 'ListOptions';
  return repeat === 'with_key' ? 'SendOptions' : 'RequestOptions';
}

export function schemaName(schema: JsonSchema | undefined): string | undefined {
  return typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

export function camelCase(words: readonly string[]): string {
  const [first = '', ...rest] = words;
  return first + rest.map(capitalized).join('');
}

export function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
