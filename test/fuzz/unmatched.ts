/** Requests that no operation takes, of any method, path, body and media type: each refused in the one form of error. */
import { request as open } from 'node:http';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { routes } from '../../shared/contract/routes.ts';
import type { ApiDocument, ReceivedResponse } from '../support/http/api-document.ts';
import { anyCharacter } from './any-character.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const knownPaths: readonly string[] = [...new Set(Object.values(routes).map(({ path }) => path))];
const takenBy = (path: string): readonly string[] =>
  Object.values(routes)
    .filter((route) => route.path === path)
    .map((route) => route.method);

const segment = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    'api',
    'v1',
    'sms',
    'send',
    'admin',
    'docs',
    '%00',
    '%2e%2e',
    '%2F',
    '..%5c',
    '{message_id}',
  ),
);
const strangePath = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => `/nowhere/${segments.join('/')}`);
const wrongMethod = fc
  .record({ path: fc.constantFrom(...knownPaths), method: fc.constantFrom(...methods) })
  .filter(({ path, method }) => !takenBy(path).includes(method))
  .map(({ path, method }) => ({ path: path.replace('{message_id}', 'msg_1'), method }));
const noOperation = fc.oneof(
  wrongMethod,
  fc.record({ path: strangePath, method: fc.constantFrom(...methods) }),
  fc.record({
    path: fc.constantFrom(...knownPaths).map((path) => `/api/v2${path}`),
    method: fc.constantFrom(...methods),
  }),
);
const content = fc.record({
  body: fc.oneof(fc.json(), fc.string({ unit: anyCharacter, maxLength: 500 })),
  type: fc.constantFrom('application/json', 'text/plain', 'application/xml', 'nonsense'),
});
const query = fc
  .dictionary(fc.string({ maxLength: 10 }), fc.string({ maxLength: 20 }), { maxKeys: 3 })
  .map((fields) => new URLSearchParams(fields).toString());

/**
 * @returns the number of requests.
 * @throws Error with the smallest request that was answered otherwise.
 */
export async function fuzzUnmatched(
  baseUrl: string,
  document: ApiDocument,
  options: { readonly numRuns: number; readonly seed: number },
): Promise<number> {
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(noOperation, query, content, async ({ method, path }, search, { body, type }) => {
      requests += 1;
      const answer = await ask(baseUrl, method, `${path}${search === '' ? '' : `?${search}`}`, body, type);
      const wanted = knownPaths.includes(path) || path.includes('msg_1') ? 405 : 404;
      const faults = document.faultsOf(answer);
      if (answer.status !== wanted || faults.length > 0) {
        throw new Error(`answered ${answer.status}, not ${wanted}: ${answer.text} ${faults.join(', ')}`);
      }
    }),
    options,
  );
  return requests;
}

async function ask(
  baseUrl: string,
  method: string,
  path: string,
  body: string,
  type: string,
): Promise<ReceivedResponse> {
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
  return await new Promise((resolve, reject) => {
    const outgoing = open(baseUrl, { method, path, headers }, (response) => {
      const answered = Object.entries(response.headers).map(
        ([name, value]) => [name, String(value)] as const,
      );
      buffer(response).then(
        (bytes) =>
          resolve({
            method,
            path,
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(answered),
            text: bytes.toString('utf8'),
          }),
        reject,
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
