/** In maintenance a request gets 503 with `Retry-After`, before anything is read of its caller. */
import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { everyClient, maintenanceEndpoint } from '../../../shared/contract/rate-limits-and-caps.ts';
import { routes } from '../../../shared/contract/routes.ts';
import { type HttpDependencies, httpFunction } from '../../../shared/http/http-function.ts';
import { feedbackOf } from '../../../shared/limit/limit-feedback.ts';
import { type InvalidOverride, overrideReader } from '../../../shared/limit/read-overrides.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';

const start = new Date('2026-11-20T12:00:00.000Z');
const row = { client_id: everyClient, endpoint: maintenanceEndpoint };

/** The reader of a function, whose rows and time the test changes. */
function reader() {
  let now = start;
  let rows: readonly Record<string, unknown>[] = [];
  const invalid: InvalidOverride[] = [];
  const overrides = overrideReader(
    { rowsOf: async (clientId) => (clientId === everyClient ? (rows as never) : []) },
    () => now,
    (value) => invalid.push(value),
  );
  return {
    overrides,
    invalid,
    set(given: readonly Record<string, unknown>[], seconds: number) {
      rows = given;
      now = addSeconds(now, seconds);
    },
  };
}

describe('the row', () => {
  it('is in force within 60 s, until it is removed, and is no invalid limit', async () => {
    const { overrides, set, invalid } = reader();
    expect(await overrides.inMaintenance()).toBe(false);
    set([row], 60);
    expect(await overrides.inMaintenance()).toBe(true);
    expect(await overrides.limitsOf('client-a', 'sms_send')).toMatchObject({ perMinute: 60 });
    set([], 60);
    expect(await overrides.inMaintenance()).toBe(false);
    expect(invalid).toEqual([]);
  });

  it('ends at its expires_at', async () => {
    const { overrides, set } = reader();
    set([{ ...row, expires_at: addSeconds(start, 90).toISOString() }], 60);
    expect(await overrides.inMaintenance()).toBe(true);
    set([row], 30);
    expect(await overrides.inMaintenance()).toBe(false);
  });

  it('says in its feedback what is in force', () => {
    const context = {
      now: start,
      clientExists: true,
      forEveryClient: undefined,
      capDefaults: {},
      currency: 'USD',
    };
    expect(feedbackOf(row as never, context)).toMatchObject({
      status: 'active',
      status_message: expect.stringContaining('the API answers 503 until the row is removed'),
    });
    const expired = { ...row, expires_at: addSeconds(start, -1).toISOString() };
    expect(feedbackOf(expired as never, context)).toMatchObject({ status: 'expired' });
  });
});

it('a request is 503 before its caller is identified or counted', async () => {
  const never = async (): Promise<never> => {
    throw new Error('this must not be read');
  };
  const dependencies = {
    limiter: { check: never },
    clock: () => start,
    newWorkId: () => 'work-1',
    writeLog: () => undefined,
    baseUrl: 'https://gateway.example.com',
    authenticateBearer: () => never,
    prepare: () => undefined,
    inMaintenance: async () => true,
  } as unknown as HttpDependencies;
  const event = {
    httpMethod: 'POST',
    resource: '/api/v1/sms/send',
    path: '/api/v1/sms/send',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    requestContext: { requestId: 'request-1', identity: { sourceIp: '203.0.113.1' } },
  } as unknown as APIGatewayProxyEvent;
  const handler = httpFunction(routes.sendSms, never, { dependencies });
  const response = await handler(event, { getRemainingTimeInMillis: () => 10_000 } as Context);
  expect(response).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '120' } });
  expect(JSON.parse(String(response.body))).toMatchObject({ error: 'service_unavailable', retry_after: 120 });
});
