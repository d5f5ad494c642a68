/**
 * Whatever bytes a caller sends, in any field, key, query, header or path parameter of any operation: the response is
 * 2xx or 4xx, and the request is counted (contract, introduction and section 3).
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import fc from 'fast-check';
import { fieldName } from '../../../shared/operation/unknown-fields.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { type HostileRequest, hostileRoutes, loadAllFunctions } from '../../support/gateway/all-functions.ts';
import { hostileText, hostileValue, notableTexts } from '../../support/http/hostile-text.ts';
import {
  type FieldPath,
  type OperationInputs,
  operationInputs,
  withValueAt,
} from '../../support/http/operation-inputs.ts';

const inputs = operationInputs('client_of_nobody').filter(({ route }) => hostileRoutes.includes(route));
const names = inputs.map(({ name }) => name);
/** Each run is a request to a function on real tables. */
const runs = { numRuns: Math.max(10, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 20)) };
/** `npm run test:release -- hostile-requests` */
const thorough = Number(process.env.FUZZ_RUNS ?? 0) >= 5000;

let functions: Awaited<ReturnType<typeof loadAllFunctions>>;
let current: ReadonlyMap<string, OperationInputs>;

beforeAll(async () => {
  functions = await loadAllFunctions();
  const operations = operationInputs(functions.administeredClientId);
  current = new Map(operations.map((operation) => [operation.name, operation]));
});
afterAll(() => functions.drop());

function inputsOf(name: string): OperationInputs {
  const found = current.get(name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}

interface Change {
  readonly body?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
}

function requestOf(operation: OperationInputs, change: Change = {}): HostileRequest {
  const { route, method } = operation;
  const parameters = { ...operation.pathParameters, ...change.pathParameters };
  const path = operation.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => parameters[name] ?? '');
  const [base] = bodiesOf(operation);
  return {
    route,
    method,
    path,
    // The admin API's router takes the path apart itself.
    pathParameters: path.startsWith('/admin/api/') ? { proxy: path.slice('/admin/api/'.length) } : parameters,
    query: change.query ?? {},
    headers: {
      ...(route.scope === null
        ? {}
        : { Authorization: route.scope === 'admin' ? functions.admin : functions.client }),
      'Content-Type': 'application/json',
      ...change.headers,
    },
    body: 'body' in change ? change.body : base === undefined ? undefined : JSON.stringify(base),
  };
}

/** With the credentials of a client that exists, where they are asked for. */
function bodiesOf({ name, bodies }: OperationInputs): readonly Readonly<Record<string, unknown>>[] {
  if (name !== 'issueToken') return bodies;
  const credentials = { client_id: functions.clientId, client_secret: functions.clientSecret };
  return bodies.map((body) => ({ ...body, ...credentials }));
}

/** @returns the status */
function expectNoFaultOfOurs(response: APIGatewayProxyResult, what: unknown): number {
  const seen = `${response.statusCode} for ${JSON.stringify(what)}: ${response.body.slice(0, 500)}`;
  expect(seen).toMatch(/^[24]/);
  const [limit, remaining] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining'].map((name) =>
    Number(response.headers?.[name]),
  );
  // A request that could not be counted is told that nothing is left.
  if (response.statusCode !== 429) expect(`${remaining} left for ${seen}`).not.toMatch(/^(0|NaN) /);
  expect(remaining).toBeLessThan(Number(limit));
  return response.statusCode;
}

const faultyFields = (response: APIGatewayProxyResult): string[] =>
  ((JSON.parse(response.body) as { details?: { field: string }[] }).details ?? []).map(({ field }) => field);

const valueAt = (body: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  );

describe.each(names)('%s', (name) => {
  it('takes a request as it should be, or knows nothing of what it is about', async () => {
    const operation = inputsOf(name);
    for (const body of bodiesOf(operation).length === 0 ? [undefined] : bodiesOf(operation)) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      expectNoFaultOfOurs(await functions.call(requestOf(operation, sent)), body);
    }
  });

  it('refuses a lone surrogate in any field, key, query, header and path parameter, by its name', async () => {
    const operation = inputsOf(name);
    const lone = 'a\ud800';
    const refused = async (change: Change, field: string): Promise<void> => {
      const response = await functions.call(requestOf(operation, change));
      expect(expectNoFaultOfOurs(response, change)).toBe(400);
      expect(faultyFields(response)).toContain(field);
    };
    const readsBody = operation.method === 'POST' || operation.method === 'PATCH';
    if (readsBody && operation.name !== 'unmatched') {
      const [base = {}] = bodiesOf(operation);
      for (const path of [...operation.fields, ['unknown', 'deep', 3]]) {
        await refused({ body: JSON.stringify(withValueAt(base, path, lone)) }, fieldName(path));
      }
      await refused({ body: JSON.stringify({ ...base, [lone]: 1 }) }, 'a\ufffd');
    }
    for (const query of [...operation.queryNames, 'unknown'])
      await refused({ query: { [query]: lone } }, query);
    await refused({ query: { [lone]: 'x' } }, 'a\ufffd');
    await refused({ headers: { 'X-Anything': lone } }, 'X-Anything');
    await refused({ headers: { [lone]: 'x' } }, 'a\ufffd');
    const isAdmin = operation.path.startsWith('/admin/api/');
    for (const parameter of Object.keys(operation.pathParameters)) {
      await refused({ pathParameters: { [parameter]: lone } }, isAdmin ? 'proxy' : parameter);
    }
  });

  it('answers each notable text, in one place after another, with 2xx or 4xx', async () => {
    const operation = inputsOf(name);
    const places: ((text: string) => Change)[] = [
      ...operation.queryNames.map((query) => (text: string) => ({ query: { [query]: text } })),
      ...Object.keys(operation.pathParameters).flatMap((parameter) => [
        (text: string) => ({ pathParameters: { [parameter]: text } }),
        (text: string) => ({ pathParameters: { [parameter]: encodeURIComponent(text.toWellFormed()) } }),
      ]),
    ];
    const start = fc.sample(fc.nat(), 1)[0] ?? 0;
    for (const [index, text] of notableTexts.entries()) {
      // Half of the texts in each run, each in another place, or every text in every place in a thorough one.
      if (!thorough && (start + index) % 2 === 1) continue;
      const tried = thorough ? places : places.slice(((start + index) / 2) % places.length).slice(0, 1);
      for (const place of tried) {
        const change = place(text);
        if (change.pathParameters === undefined || operation.method === 'GET' || text !== '') {
          expectNoFaultOfOurs(await functions.call(requestOf(operation, change)), change);
        }
      }
    }
  });

  it('answers any text or value in any place with 2xx or 4xx', async () => {
    const operation = inputsOf(name);
    const bases = bodiesOf(operation).length === 0 ? [{}] : bodiesOf(operation);
    const fields = operation.fields.length === 0 ? [['unknown']] : operation.fields;
    const inBody = fc.tuple(fc.constantFrom(...bases), fc.constantFrom(...fields)).chain(([base, path]) =>
      hostileValue(valueAt(base, path)).map((value) => ({
        body: JSON.stringify(withValueAt(base, path, value)),
      })),
    );
    const ofKeys = fc
      .tuple(fc.constantFrom(...bases), fc.dictionary(hostileText, hostileText, { maxKeys: 3 }))
      .map(([base, more]) => ({ body: JSON.stringify({ ...base, ...more }) }));
    const ofBytes = fc
      .oneof(fc.string({ unit: anyCharacter, maxLength: 200 }), fc.json())
      .map((body) => ({ body }));
    const inQuery = fc
      .dictionary(fc.oneof(fc.constantFrom('limit', ...operation.queryNames), hostileText), hostileText, {
        maxKeys: 3,
      })
      .map((query) => ({ query }));
    const inHeaders = fc
      .dictionary(
        fc.oneof(
          fc.constantFrom(
            'authorization',
            'content-type',
            'Idempotency-Key',
            'accept-encoding',
            'if-none-match',
          ),
          hostileText,
        ),
        fc.oneof(
          hostileText,
          hostileText.map((text) => `Bearer ${text}`),
          hostileText.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
        ),
        { maxKeys: 3 },
      )
      .map((headers) => ({ headers }));
    const inPath = fc
      .tuple(fc.constantFrom('none', ...Object.keys(operation.pathParameters)), hostileText)
      .map(([parameter, text]) => ({ pathParameters: { [parameter]: text } }));
    const change = fc.oneof({ weight: 4, arbitrary: inBody }, ofKeys, ofBytes, inQuery, inHeaders, inPath);
    await fc.assert(
      fc.asyncProperty(change, async (changed: Change) => {
        expectNoFaultOfOurs(await functions.call(requestOf(operation, changed)), changed);
      }),
      runs,
    );
  });
});
