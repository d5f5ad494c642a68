/** An allowance for good that one administrator gives is not ended by another who allows a hold at that moment. */
import { expect, it } from '@jest/globals';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { allowOtps } from '../../../shared/admin/otp-holds.ts';
import { createClient } from '../../../shared/client/client-admin.ts';
import { dynamoOtpHolds } from '../../../shared/otp/otp-holds.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { accessTo } from '../../support/gateway/access.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

async function aHeldCountry() {
  const tables = inMemoryTables();
  const { admin } = accessTo(tables, now);
  const { client } = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, now);
  const otpHolds = dynamoOtpHolds(tables.dynamo, tables.names.otp_holds);
  const key = { client_id: client.client_id, country: 'FR' };
  const judged = { since: now.toISOString(), sends: 200, verified: 2, threshold: 0.1, usual_share: 0.7 };
  await otpHolds.hold({ ...key, state: 'held', held_at: now.toISOString(), ...judged }, undefined);
  let meanwhile = async (): Promise<unknown> => undefined;
  const dependencies = {
    ...admin,
    otpHolds,
    clock: () => addSeconds(now, 60),
    activityLog: { add: () => meanwhile() },
  } as unknown as AdminDependencies;
  const allow = (actor: string, always: boolean) =>
    allowOtps(dependencies, actor, { clientId: client.client_id, country: 'FR', always });
  return {
    allow,
    found: () => otpHolds.find(client.client_id, 'FR'),
    meanwhile(act: () => Promise<unknown>) {
      meanwhile = async () => {
        meanwhile = async () => undefined;
        await act();
      };
    },
  };
}

it('stays, and the other is told that something has changed', async () => {
  const { allow, found, meanwhile } = await aHeldCountry();
  meanwhile(() => allow('Ada', true));
  await expect(allow('Bob', false)).rejects.toMatchObject({ code: 'concurrent_change' });
  expect(await found()).toMatchObject({ state: 'allowed', always: true, allowed_by: 'Ada' });
});

it('is given also where another allows the hold at that moment, and ended by who has seen it', async () => {
  const { allow, found, meanwhile } = await aHeldCountry();
  meanwhile(() => allow('Bob', false));
  await allow('Ada', true);
  expect(await found()).toMatchObject({ always: true });
  await allow('Bob', false);
  expect(await found()).toMatchObject({ always: false, allowed_by: 'Bob' });
});
