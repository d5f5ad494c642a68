/** In maintenance a request gets 503 with `Retry-After`, before anything is read of its caller. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { everyClient, maintenanceEndpoint } from '../../../shared/contract/rate-limits-and-caps.ts';
import { routes } from '../../../shared/contract/routes.ts';
import { httpFunction } from '../../../shared/http/http-function.ts';
import { feedbackOf } from '../../../shared/limit/limit-feedback.ts';
import { inMaintenance, limitsOf } from '../../../shared/limit/overrides.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { writeRows } from '../../support/engine/write-rows.ts';

const start = new Date('2026-11-20T12:00:00.000Z');
const row = { client_id: everyClient, endpoint: maintenanceEndpoint };

/** The context of a process, whose rows and time the test changes. */
function aProcess() {
  let now = start;
  const tables = inMemoryTables();
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (...line: unknown[]) => void warned.push(line), error: () => {} };
  return {
    context: testContext(tables, { clock: () => now, log }),
    warned,
    async set(rows: readonly Record<string, unknown>[], seconds: number) {
      const { dynamo, names } = tables;
      const Key = { client_id: everyClient, endpoint: maintenanceEndpoint };
      await dynamo.send(new DeleteCommand({ TableName: names.limit_overrides, Key }));
      await writeRows(dynamo, names.limit_overrides, rows);
      now = addSeconds(now, seconds);
    },
  };
}

describe('the row', () => {
  it('is in force within 60 s, until it is removed, and is no invalid limit', async () => {
    const { context, set, warned } = aProcess();
    expect(await inMaintenance(context)).toBe(false);
    await set([row], 60);
    expect(await inMaintenance(context)).toBe(true);
    expect(await limitsOf(context, 'client-a', 'sms_send')).toMatchObject({ perMinute: 60 });
    await set([], 60);
    expect(await inMaintenance(context)).toBe(false);
    expect(warned).toEqual([]);
  });

  it('ends at its expires_at', async () => {
    const { context, set } = aProcess();
    await set([{ ...row, expires_at: addSeconds(start, 90).toISOString() }], 60);
    expect(await inMaintenance(context)).toBe(true);
    await set([row], 30);
    expect(await inMaintenance(context)).toBe(false);
  });

  it('says in its feedback what is in force', () => {
    const feedbackContext = {
      now: start,
      clientExists: true,
      forEveryClient: undefined,
      capDefaults: {},
      currency: 'USD',
    };
    expect(feedbackOf(row as never, feedbackContext)).toMatchObject({
      status: 'active',
      status_message: expect.stringContaining('the API answers 503 until the row is removed'),
    });
    const expired = { ...row, expires_at: addSeconds(start, -1).toISOString() };
    expect(feedbackOf(expired as never, feedbackContext)).toMatchObject({ status: 'expired' });
  });
});

it('a request is 503 before its caller is identified or counted', async () => {
  const reads: unknown[] = [];
  const { dynamo, names } = inMemoryTables({
    around: ({ input }, run) => {
      reads.push(input.TableName);
      return run();
    },
  });
  await writeRows(dynamo, names.limit_overrides, [row]);
  reads.length = 0;
  const event = {
    httpMethod: 'POST',
    resource: '/api/v1/sms/send',
    path: '/api/v1/sms/send',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    requestContext: { requestId: 'request-1', identity: { sourceIp: '203.0.113.1' } },
  } as unknown as APIGatewayProxyEvent;
  const never = async (): Promise<never> => {
    throw new Error('this must not be read');
  };
  const handler = httpFunction(testContext({ dynamo, names }), routes.sendSms, never);
  const response = await handler(event, { getRemainingTimeInMillis: () => 10_000 } as Context);
  expect(response).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '120' } });
  expect(JSON.parse(String(response.body))).toMatchObject({ error: 'service_unavailable', retry_after: 120 });
  expect(reads).toEqual([names.limit_overrides]);
});
