/** Programs in TypeScript that call every operation: each call is written out, so that the compiler checks it. */
import { type Call, camelCase, given, pascalCase } from './calls.ts';

const json = (value: unknown): string => JSON.stringify(value);

const head = `
async function print(operationId: string, answer: () => Promise<unknown>): Promise<void> {
  const shown = await answer().catch((error: unknown) => String(error));
  console.log(operationId + '\\t' + JSON.stringify(shown));
}
`;

const valuesAt = (call: Call, place: 'path' | 'query'): Record<string, unknown> =>
  Object.fromEntries(given(call, place).map(({ name, value }) => [name, value]));

/** `{ path: {…}, query: {…}, body: {…} }`, without what is empty. */
function options(call: Call, body = call.body?.value): string[] {
  const places = (['path', 'query'] as const).flatMap((place) => {
    const values = valuesAt(call, place);
    return Object.keys(values).length === 0 ? [] : [`${place}: ${json(values)}`];
  });
  return [...places, ...(body === undefined ? [] : [`body: ${json(body)}`])];
}

function program(imports: string, calls: readonly Call[], expression: (call: Call) => string): string {
  const lines = calls.map((call) => `await print('${call.operationId}', async () => ${expression(call)});`);
  return [imports, head, ...lines, ''].join('\n');
}

export const openApiFetch = (calls: readonly Call[]): string =>
  program(
    `import createClient from 'openapi-fetch';
import type { paths } from './schema';
const client = createClient<paths>({
  baseUrl: process.env.BASE_URL ?? '',
  headers: { Authorization: 'Bearer ' + process.env.TOKEN },
});
const answerOf = ({ data, error }: { data?: unknown; error?: unknown }) => data ?? error;`,
    calls,
    (call) => {
      const inPlace = options({ ...call, body: undefined });
      const parts = [
        ...(inPlace.length === 0 ? [] : [`params: { ${inPlace.join(', ')} }`]),
        ...(call.body === undefined ? [] : [`body: ${json(call.body.value)}`]),
      ];
      const more = parts.length === 0 ? '' : `, { ${parts.join(', ')} }`;
      return `answerOf(await client.${call.method}('${call.path}'${more}))`;
    },
  );

export const heyApi = (calls: readonly Call[]): string =>
  program(
    `import { client } from './hey-api/client.gen';
import * as gateway from './hey-api/sdk.gen';
client.setConfig({ baseUrl: process.env.BASE_URL ?? '', auth: process.env.TOKEN ?? '' });
const answerOf = ({ data, error }: { data?: unknown; error?: unknown }) => data ?? error;`,
    calls,
    (call) => {
      const parts = options(call).join(', ');
      return `answerOf(await gateway.${call.operationId}(${parts === '' ? '' : `{ ${parts} }`}))`;
    },
  );

export const orval = (calls: readonly Call[]): string =>
  program(
    `import axios from 'axios';
import * as gateway from './orval/client';
axios.defaults.baseURL = process.env.BASE_URL ?? '';
axios.defaults.headers.common.Authorization = 'Bearer ' + process.env.TOKEN;`,
    calls,
    (call) => {
      const query = valuesAt(call, 'query');
      const values = [
        ...given(call, 'path').map(({ value }) => value),
        ...(call.body === undefined ? [] : [call.body.value]),
        ...(Object.keys(query).length === 0 ? [] : [query]),
      ];
      return `(await gateway.${call.operationId}(${values.map(json).join(', ')})).data`;
    },
  );

export const typescriptFetch = (calls: readonly Call[]): string =>
  program(
    `import * as gateway from './typescript-fetch/index';
const configuration = new gateway.Configuration({
  basePath: process.env.BASE_URL ?? '',
  accessToken: process.env.TOKEN ?? '',
});`,
    calls,
    (call) => {
      const { operationId, tag, body, answer } = call;
      const values = (['path', 'query'] as const).flatMap((place) =>
        given(call, place).map(
          ({ name, value, schema }) =>
            `${camelCase(name)}: ${schema.format === 'date-time' ? `new Date(${json(value)})` : json(value)}`,
        ),
      );
      if (body !== undefined)
        values.push(`${camelCase(body.schema)}: gateway.${body.schema}FromJSON(${json(body.value)})`);
      const request = values.length === 0 ? '' : `{ ${values.join(', ')} }`;
      const api = `new gateway.${pascalCase(tag)}Api(configuration)`;
      return `gateway.${answer.schema}ToJSON(await ${api}.${operationId}(${request}))`;
    },
  );
