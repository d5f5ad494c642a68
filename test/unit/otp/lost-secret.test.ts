/** An attempt is not used up where the gateway cannot compare its code (contract 5.10). */

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { deriveCode } from '../../../shared/otp/otp-code.secrets.ts';
import {
  countOtpAttempt,
  giveBackOtpAttempt,
  otpRowOf,
  readOtp,
} from '../../../shared/otp/otp-store.dynamo.ts';
import { verifyOtp } from '../../../shared/otp/verify-password.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const otp_id = 'otp_01KAG00000000000000000000A';
const newest = deriveCode('new', otp_id, 6);

async function aPassword(max_attempts: number) {
  const tables = inMemoryTables();
  const context = testContext(tables);
  const otp = {
    otp_id,
    client_id: 'client-a',
    recipient: '+447700900123',
    channel: 'sms' as const,
    purpose: 'default',
    code_length: 6,
    country: 'GB',
    message_id: 'msg_1',
    sms_sends: 1,
    max_attempts,
    attempts: 0,
    status: 'pending' as const,
    created_at: now.toISOString(),
    expires_at: '2026-11-20T10:05:00.000Z',
  };
  await tables.dynamo.send(
    new PutCommand({ TableName: tables.names.one_time_passwords, Item: otpRowOf(otp) }),
  );
  const service = { isDown: true };
  const secrets = {
    current: async () => 'old',
    all: async () => ['old'],
    latest: async () => {
      if (service.isDown) throw new Error('Secrets Manager throttles');
      return ['new', 'old'];
    },
  };
  const verify = (workId: string) =>
    verifyOtp(
      context,
      secrets,
    )({
      caller: { clientId: 'client-a' },
      body: { otp_id, code: newest },
      workId,
      now,
    } as never);
  return { context, service, verify };
}

it('a code of the newest secret, which cannot be read at that moment, is accepted when it is tried again', async () => {
  const { service, verify } = await aPassword(1);
  await expect(verify('first')).rejects.toThrow('throttles');
  service.isDown = false;
  expect(await verify('second')).toMatchObject({ body: { verified: true } });
});

it('while the secret cannot be read, one code more may be tried, and not any number', async () => {
  const { verify } = await aPassword(2);
  for (const workId of ['first', 'second', 'third'])
    await expect(verify(workId)).rejects.toThrow('throttles');
  await expect(verify('fourth')).rejects.toMatchObject({ code: 'otp_attempts_exhausted' });
});

it('an attempt is given back once where the SDK repeats the write, and only one that was counted', async () => {
  const { context } = await aPassword(5);
  const attempt = { otpId: otp_id, clientId: 'client-a', workId: 'first' };
  await giveBackOtpAttempt(context, attempt);
  expect(await readOtp(context, otp_id)).toMatchObject({ attempts: 0 });
  await countOtpAttempt(context, { ...attempt, workId: 'before' }, now);
  await countOtpAttempt(context, attempt, now);
  await giveBackOtpAttempt(context, attempt);
  await giveBackOtpAttempt(context, attempt);
  expect(await readOtp(context, otp_id)).toMatchObject({ attempts: 1, given_back: 'first' });
});
