/**
 * Makes the request that an operation's samples send, from the operation in the API document and its first examples.
 */
import type { OpenApiOperation } from '../../openapi/document.ts';
import type { JsonSchema } from '../../openapi/named-schemas.ts';

export type SampleRequest = ReturnType<typeof sampleRequest>;

/**
 * Returns the expressions that read the variables, by field.
 *
 * @param read - makes the expression that reads a variable
 */
export function readVariables(
  variables: SampleRequest['variables'],
  read: (name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([field, name]) => [field, read(name)]));
}

/** Values that only the reader has, so that no example can contain them. */
const ownValues: Readonly<Record<string, string>> = {
  client_id: 'CLIENT_ID',
  client_secret: 'CLIENT_SECRET',
};

/** @throws Error where the operation has no example of its body or of a parameter that it requires */
export function sampleRequest(method: string, path: string, operation: OpenApiOperation) {
  const { operationId, parameters = [], requestBody, security } = operation;
  const body = requestBody === undefined ? undefined : bodyOf(operationId, requestBody.content);
  const authorized = security.length > 0;
  const own = authorized ? [] : Object.entries(ownValues);
  return {
    method: method.toUpperCase(),
    /** The path with its parameters filled in, and the query. */
    path: `${filledPath(operationId, path, parameters)}${queryOf(operationId, parameters)}`,
    /** Whether the request carries an access token. */
    authorized,
    body,
    /** The fields of the body whose values the program reads from the environment, with their variables. */
    variables: Object.fromEntries(own.filter(([field]) => body !== undefined && field in body)),
  };
}

function bodyOf(
  operationId: string,
  content: NonNullable<OpenApiOperation['requestBody']>['content'],
): Readonly<Record<string, unknown>> {
  const [example] = Object.values(content['application/json']?.examples ?? {});
  if (typeof example?.value !== 'object' || example.value === null)
    throw new Error(`${operationId} has no example of its body`);
  return example.value as Record<string, unknown>;
}

function filledPath(operationId: string, path: string, parameters: readonly JsonSchema[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return encodeURIComponent(String(exampleOf(operationId, name, parameter)));
  });
}

/** Returns the query with the parameters that are required or have an example. */
function queryOf(operationId: string, parameters: readonly JsonSchema[]): string {
  const shown = parameters
    .filter((one) => one.in === 'query' && (one.required === true || one.example !== undefined))
    .map((one) => `${one.name}=${encodeURIComponent(String(exampleOf(operationId, one.name, one)))}`);
  // Colons and commas may be in a query as they are (RFC 3986, section 3.4).
  return shown.length === 0 ? '' : `?${shown.join('&').replaceAll('%3A', ':').replaceAll('%2C', ',')}`;
}

function exampleOf(operationId: string, name: unknown, parameter: JsonSchema | undefined): unknown {
  if (parameter?.example === undefined) throw new Error(`${operationId} has no example of ${String(name)}`);
  return parameter.example;
}
