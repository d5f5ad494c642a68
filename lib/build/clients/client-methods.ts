/**
 * Determines the methods that the clients in `clients/` have: one for each operation of the API document, by resource. The
 * path and the operationId of a new operation determine its method, so you need not choose a name.
 */
import type { OpenApiDocument, OpenApiOperation } from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/named-schemas.ts';

export interface ClientMethod {
  readonly operationId: string;
  /** The resource as words in lower case: `['webhook', 'endpoints']`. */
  readonly resource: readonly string[];
  readonly name: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** The names of the schemas of the query and the body. */
  readonly query: string | undefined;
  readonly body: string | undefined;
  readonly isBodyOptional: boolean;
  readonly response: string;
  /**
   * Says when a client retries a request with an unknown result: always, with the idempotency key of the first attempt, or
   * only if the gateway certainly did not accept it.
   */
  readonly repeat: 'always' | 'with_key' | 'if_refused';
  /** True if the method only returns what a send would return. */
  readonly isDryRun: boolean;
  /** The field with the items and their schema; undefined for a method whose response has no pages. */
  readonly pages: { readonly field: string; readonly item: string } | undefined;
}

/** Operations without a method. The clients request the token themselves. */
const withoutMethod = ['issueToken'];

/**
 * Methods whose names follow neither from the path nor from the operationId. The path of the look-up is for SMS, but it
 * finds all messages and batches.
 */
const named: Readonly<Record<string, readonly { readonly method: string; readonly response: string }[]>> = {
  getMessageStatus: [
    { method: 'messages.get', response: 'Message' },
    { method: 'batches.get', response: 'Batch' },
  ],
};

/** @throws Error if two operations would have the same method, or one has no response */
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
  /** True if the operationId contains the plural of the resource. */
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
 * Returns the method for the dry run of a send (`sms.dry_run_bulk` for `sms.send_bulk`). A dry run is a separate method,
 * because its response has another type.
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
        'Returns the sender, the segments, the estimated cost, and every reason to refuse the request. Nothing is stored or sent; only the rate limit counts.',
      response,
      repeat: 'always',
      isDryRun: true,
    },
  ];
}

/**
 * Returns the name of a method, without the resource: `rotate secret` for `rotateWebhookEndpointSecret` of webhook endpoints,
 * `get resend` for `getWebhookResend` of webhook deliveries.
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
 * Returns the name of the schema of an operation's query parameters. The API document contains no such schema, because it
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

/** Returns the type of a method's options. Both clients have these types. */
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
