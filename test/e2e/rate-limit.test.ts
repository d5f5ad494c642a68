import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { call, newClient } from '../support/http/client.ts';
import type { Answer } from '../support/http/http-call.ts';

const headerNames = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
  'ratelimit',
  'ratelimit-policy',
];
const sendsAtOnce = 200;
/** What must be left of the minute for all of them, at each attempt: on a slow machine nearly all of it. */
const secondsNeeded = [25, 58, 58, 58];

async function untilMinuteHas(seconds: number): Promise<void> {
  const secondsLeft = 60 - ((Date.now() / 1000) % 60);
  if (secondsLeft < seconds) await pause(secondsLeft * 1000 + 100);
}

/** All answers to that many sends of one client in one minute; a run that a minute's end cut in two says nothing. */
async function sendAtOnce(times: number): Promise<readonly Answer[]> {
  for (const seconds of secondsNeeded) {
    const client = await newClient({ limits: 'default' });
    await untilMinuteHas(seconds);
    const minute = Math.floor(Date.now() / 60_000);
    const body = { to: '+447700900126', message: 'Hello' };
    const answers = await Promise.all(
      Array.from({ length: times }, () => client.post('/api/v1/sms/send', body)),
    );
    if (Math.floor(Date.now() / 60_000) === minute) return answers;
  }
  throw new Error('this machine is too slow for so many sends in a minute');
}

describe('the rate limit over HTTP', () => {
  it('admits exactly 60 of 200 sends at once, with 59 … 0 left, each once', async () => {
    const answers = await sendAtOnce(sendsAtOnce);
    const admitted = answers.filter(({ status }) => status === 202);
    const left = admitted
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
      .toSorted((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: 60 }, (_, remaining) => remaining));
    const ids = admitted.map(({ body }) => body.message_id);
    expect(new Set(ids).size).toBe(60);

    const refused = answers.filter(({ status }) => status !== 202);
    for (const { status, headers, body } of refused) {
      expect(status).toBe(429);
      expect(headers.get('x-ratelimit-limit')).toBe('60');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(headers.get('x-ratelimit-policy')).toBe('60;w=60;comment=sms_send_minute');
      expect(Number(headers.get('retry-after'))).toBe(body.retry_after);
      expect(body).toMatchObject({ error: 'rate_limit_exceeded', request_id: headers.get('x-request-id') });
      expect(body.retry_after).toBeGreaterThanOrEqual(1);
      expect(body.retry_after).toBeLessThanOrEqual(60);
    }
    expect(new Set(answers.map(({ headers }) => headers.get('x-ratelimit-reset'))).size).toBe(1);
  });

  it.each([
    ['GET', '/api/v1/sms/send', 405],
    ['GET', '/api/v1/no/such/path', 404],
    ['POST', '/api/v1/sms/send', 401],
    ['POST', '/api/v1/auth/token', 400],
  ])('is told in every answer: %s %s, which is %i', async (method, path, status) => {
    const answer = await call(method, path);
    expect(answer.status).toBe(status);
    for (const name of headerNames)
      expect([name, answer.headers.get(name)]).toEqual([name, expect.any(String)]);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
    if (status === 405) expect(answer.headers.get('allow')).toBe('POST');
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
  });
});
