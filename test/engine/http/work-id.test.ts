/** A caller may choose the request id (`x-amzn-RequestId`): nothing that is counted or locked goes by it. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routes } from '../../../shared/contract/routes.ts';
import { httpFunction } from '../../../shared/http/http-function.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk.ts';
import { deriveCode } from '../../../shared/otp/otp-code.secrets.ts';
import { readOtp } from '../../../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../../../shared/otp/send-password.ts';
import { verifyOtp } from '../../../shared/otp/verify-password.ts';
import { createTables } from '../../support/engine/tables.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Access, accessTo, type Received, send } from '../../support/gateway/access.ts';
import { bearer, functionOf, keyOf } from '../../support/gateway/callers.ts';
import { secretsOf, wrong } from '../../support/message/otps.ts';
import { webhookUrl } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const requestId = 'chosen-by-the-caller';

let tables: TestTables;
let access: Access;

beforeAll(async () => {
  tables = await createTables();
  access = accessTo(tables, now);
});
afterAll(() => tables.drop());

describe('with one request id for every request', () => {
  async function newPassword(body: object = {}) {
    const process = access.newProcess();
    const { apiKey } = await keyOf(access);
    const headers = bearer(apiKey);
    const sends = httpFunction(process, routes.sendOtp, sendOtp(process, webhookUrl));
    const sent = await send(sends, { headers, body: JSON.stringify({ to: '+447700900123', ...body }) });
    const otp_id = String(sent.body.otp_id);
    const verifies = verifyOtp(process, secretsOf('the secret'));
    const handler = httpFunction(process, routes.verifyOtp, verifies);
    const verify = (code: string): Promise<Received> =>
      send(handler, { headers, requestId, body: JSON.stringify({ otp_id, code }) });
    return { verify, code: deriveCode('the secret', otp_id, 6), otp_id };
  }

  it('each wrong guess of a one-time password counts', async () => {
    const { verify, code, otp_id } = await newPassword({ max_attempts: 5 });
    const responses = [];
    for (let guess = 0; guess < 12; guess += 1) responses.push((await verify(wrong(code))).status);
    expect(responses).toEqual([...Array(5).fill(200), ...Array(7).fill(409)]);
    expect(await readOtp(access.newProcess(), otp_id)).toMatchObject({ attempts: 5 });
    expect((await verify(code)).body.error).toBe('otp_attempts_exhausted');
  });

  it('a bulk request does not take over the work of another that is still storing', async () => {
    const { apiKey } = await keyOf(access);
    const created: number[] = [];
    const process = withCalls(access.newProcess(), async ({ operation, input }, run) => {
      if (operation !== 'TransactWrite') return run();
      created.push((input.TransactItems as unknown[]).length);
      throw new Error('the function died');
    });
    const handler = httpFunction(process, routes.sendBulkSms, sendBulkSms(process, webhookUrl));
    const headers = { ...bearer(apiKey), 'Idempotency-Key': 'order-1' };
    const body = JSON.stringify({ message: 'Hi', recipients: ['+447700900123'] });
    expect((await send(handler, { headers, requestId, body })).status).toBe(500);
    expect((await send(handler, { headers, requestId, body })).body.error).toBe('idempotency_in_progress');
    expect(created).toEqual([1]);
  });
});

describe('the id of a unit of work', () => {
  it('is another one for each invocation, and nothing that the caller sent', async () => {
    const { apiKey } = await keyOf(access);
    const seen: string[] = [];
    const handler = functionOf(access, async ({ workId }) => {
      seen.push(workId);
      return { status: 202, body: {} };
    });
    for (let i = 0; i < 3; i += 1) await send(handler, { headers: bearer(apiKey), requestId });
    expect(new Set([...seen, requestId]).size).toBe(4);
  });

  it.each(['x'.repeat(3000), 'a\r\nX-Evil: 1', '"}{', '', '\ud800', '<script>'])(
    'takes the place of a request id that is none: %j',
    async (given) => {
      const { apiKey } = await keyOf(access);
      const process = access.newProcess();
      const { headers } = await send(functionOf(access, undefined, process), {
        headers: bearer(apiKey),
        requestId: given,
      });
      expect(headers['X-Request-Id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(process.logged).toMatchObject([{ request_id: headers['X-Request-Id'] }]);
    },
  );
});
