/** A call of each operation of the API document, made of its first examples, with ids of things that exist. */
import type { OpenApiDocument, OpenApiOperation } from '../../../lib/build/openapi/document.ts';
import type { JsonSchema } from '../../../lib/build/openapi/named-schemas.ts';
import { withRealIds } from '../../support/docs/samples.ts';
import type { TestClient } from '../../support/http/client.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  /** None where the call leaves the parameter out. */
  readonly value: string | number | boolean | undefined;
}

export interface Call {
  readonly operationId: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  /** All of the operation's, in the order of the document. */
  readonly parameters: readonly Parameter[];
  /** The schema is the name of one. */
  readonly body: { readonly schema: string; readonly value: object } | undefined;
  readonly answer: { readonly schema: string; readonly status: number };
}

export async function callsOf(document: OpenApiDocument, client: TestClient): Promise<Call[]> {
  const calls: Call[] = [];
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations))
      calls.push(await callOf(method.toUpperCase(), path, operation, client));
  return calls;
}

async function callOf(
  method: string,
  path: string,
  { operationId, tags, parameters = [], requestBody, responses }: OpenApiOperation,
  client: TestClient,
): Promise<Call> {
  const content = requestBody?.content['application/json'];
  const [firstExample] = Object.values(content?.examples ?? {});
  const examples = {
    parameters: parameters.map(({ name, in: place, required = false, schema, example }) => ({
      ...{ name, in: place, required, schema, value: example },
    })),
    body: content === undefined ? undefined : { schema: nameOf(content.schema), value: firstExample?.value },
  };
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const text = JSON.stringify(examples)
    // Where nothing listens, so that events go to nobody's server.
    .replaceAll('https://example.com', 'http://127.0.0.1:9');
  const real = JSON.parse(await withRealIds(text, client, operationId)) as Pick<Call, 'parameters' | 'body'>;
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  return {
    operationId,
    tag: String(tags[0]),
    method,
    path,
    parameters: real.parameters,
    body:
      operationId === 'issueToken' && real.body !== undefined
        ? { ...real.body, value: { ...real.body.value, ...credentials } }
        : real.body,
    answer: {
      status: Number(status),
      schema: nameOf(response?.content['application/json']?.schema),
    },
  };
}

function nameOf(schema: JsonSchema | undefined): string {
  return String(schema?.$ref).split('/').at(-1) ?? '';
}

interface GivenParameter extends Parameter {
  readonly value: NonNullable<Parameter['value']>;
}

/** Those that the call gives. */
export function given(call: Call, place: 'path' | 'query'): readonly GivenParameter[] {
  return call.parameters.filter((one): one is GivenParameter => one.in === place && one.value !== undefined);
}

export const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _-]/);

export const snakeCase = (name: string): string => wordsOf(name).join('_');

export const pascalCase = (name: string): string =>
  wordsOf(name)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.slice(0, 1).toLowerCase() + pascal.slice(1);
}
