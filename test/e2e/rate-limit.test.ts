import { describe, expect, it } from '@jest/globals';
import { call, newClient } from '../support/http/client.ts';
import type { CallResponse } from '../support/http/http-call.ts';

const headerNames = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
  'ratelimit',
  'ratelimit-policy',
];
const sendsAtOnce = 100;
const perMinute = 60;
/**
 * On a machine that answers so many a minute at most, none is refused; and where the table takes longer than a call may,
 * the call is repeated, and a request may count twice.
 */
const attemptsMax = 4;

/** The responses of each minute, to that many sends of one client at once: a minute may end in between. */
async function sendAtOnce(times: number): Promise<readonly (readonly CallResponse[])[]> {
  const client = await newClient({ limits: 'default' });
  const body = { to: '+447700900126', message: 'Hello' };
  const responses = await Promise.all(
    Array.from({ length: times }, () => client.post('/api/v1/sms/send', body)),
  );
  return [...Map.groupBy(responses, ({ headers }) => headers.get('x-ratelimit-reset')).values()];
}

const isRefused = ({ status }: CallResponse): boolean => status !== 202;

/** How many requests were left after each that was admitted, the most first. */
const leftOf = (responses: readonly CallResponse[]): number[] =>
  responses
    .filter((response) => !isRefused(response))
    .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    .toSorted((a, b) => b - a);

/** What `leftOf` is where each request counts once: 59, 58, … */
function expectedLeftOf(responses: readonly CallResponse[]): number[] {
  const admitted = responses.some(isRefused) ? perMinute : responses.length;
  return Array.from({ length: admitted }, (_, before) => perMinute - 1 - before);
}

const isExact = (responses: readonly CallResponse[]): boolean =>
  String(leftOf(responses)) === String(expectedLeftOf(responses));

describe('the rate limit over HTTP', () => {
  it('admits exactly 60 a minute of 100 sends at once, with 59 … 0 left, each once', async () => {
    let minutes: Awaited<ReturnType<typeof sendAtOnce>> = [];
    for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
      minutes = await sendAtOnce(sendsAtOnce);
      for (const responses of minutes) {
        const left = leftOf(responses);
        expect(left.length).toBeLessThanOrEqual(perMinute);
        expect(new Set(left).size).toBe(left.length);
      }
      if (minutes.flat().some(isRefused) && minutes.every(isExact)) break;
    }
    for (const responses of minutes) expect(leftOf(responses)).toEqual(expectedLeftOf(responses));
    const refused = minutes.flat().filter(isRefused);
    expect(refused.length).toBeGreaterThan(0);
    const ids = minutes.flat().flatMap(({ body }) => body.message_id ?? []);
    expect(new Set(ids).size).toBe(sendsAtOnce - refused.length);

    for (const { status, headers, body } of refused) {
      expect(status).toBe(429);
      expect(headers.get('x-ratelimit-limit')).toBe(String(perMinute));
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(headers.get('x-ratelimit-policy')).toBe('60;w=60;comment=sms_send_minute');
      expect(Number(headers.get('retry-after'))).toBe(body.retry_after);
      expect(body).toMatchObject({ error: 'rate_limit_exceeded', request_id: headers.get('x-request-id') });
      expect(body.retry_after).toBeGreaterThanOrEqual(1);
      expect(body.retry_after).toBeLessThanOrEqual(60);
    }
  });

  it.each([
    ['GET', '/api/v1/sms/send', 405],
    ['GET', '/api/v1/no/such/path', 404],
    ['POST', '/api/v1/sms/send', 401],
    ['POST', '/api/v1/auth/token', 400],
  ])('is told in every response: %s %s, which is %i', async (method, path, status) => {
    const response = await call(method, path);
    expect(response.status).toBe(status);
    for (const name of headerNames)
      expect([name, response.headers.get(name)]).toEqual([name, expect.any(String)]);
    expect(response.headers.get('retry-after')).toBeNull();
    expect(response.body.request_id).toBe(response.headers.get('x-request-id'));
    if (status === 405) expect(response.headers.get('allow')).toBe('POST');
    if (status === 404) expect(response.headers.get('x-ratelimit-policy')).toContain('unmatched_minute');
    if (status === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
  });
});
