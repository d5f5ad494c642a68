/** Each check of what only AWS shows passes on a stage that keeps its promises, and names the one that a stage breaks. */
import { expect, it } from '@jest/globals';
import { awsChecks } from '../../check/aws-checks.ts';
import type { AwsStage } from '../../check/aws-stage.ts';

const headers = Object.fromEntries(
  ['X-Request-Id', ...['Limit', 'Remaining', 'Reset', 'Policy'].map((name) => `X-RateLimit-${name}`)].map(
    (name) => [name, '1'],
  ),
);
const error = (status: number, code: string, more: HeadersInit = headers) =>
  new Response(`{"error":"${code}"}`, { status, headers: more });

const stage: AwsStage = {
  baseUrl: 'https://gateway.example.com',
  resourceTypes: new Set(['AWS::WAFv2::WebACLAssociation']),
  request: async (method, path) => {
    if (path === '/api/v1/account') return new Response('{}', { headers });
    return method === 'POST' ? error(413, 'payload_too_large') : error(403, 'forbidden');
  },
  acceptsTls: async (version) => version === 'TLSv1.2',
  tableFaults: async () => [],
  fireSchedule: async (at) => new Date(at.getTime() + 1000),
};

async function failing(broken: Partial<AwsStage>): Promise<readonly string[]> {
  const names = await Promise.all(
    awsChecks.map(({ name, run }) =>
      run({ ...stage, ...broken }).then(
        () => [],
        () => [name],
      ),
    ),
  );
  return names.flat();
}

it('a stage that keeps its promises passes', async () => {
  expect(await failing({})).toEqual([]);
});

it('a stage without a web ACL is not judged by it', async () => {
  const [, webAcl] = awsChecks;
  expect(await webAcl?.run({ ...stage, resourceTypes: new Set() })).toBe('the stage has no web ACL');
});

it.each<[string, Partial<AwsStage>, RegExp]>([
  ['responses without headers', { request: async () => error(413, 'payload_too_large', {}) }, /10 MB/],
  ['a plain 413', { request: async () => new Response('too large', { status: 413, headers }) }, /10 MB/],
  ['an attack that is answered', { request: async () => new Response('{}', { headers }) }, /web ACL/],
  ['TLS 1.1', { acceptsTls: async () => true }, /TLS/],
  ['no TLS 1.2', { acceptsTls: async () => false }, /TLS/],
  ['a table without recovery', { tableFaults: async () => ['messages: no recovery'] }, /table/],
  ['requests that fail', { request: async () => error(500, 'internal_error') }, /requests at once/],
  ['a schedule that is early', { fireSchedule: async (at) => new Date(at.getTime() - 1000) }, /schedule/],
  ['a schedule that is late', { fireSchedule: async (at) => new Date(at.getTime() + 61_000) }, /schedule/],
  ['a schedule that does not fire', { fireSchedule: async () => undefined }, /schedule/],
])('%s is named', async (_what, broken, name) => {
  expect(await failing(broken)).toContainEqual(expect.stringMatching(name));
});
