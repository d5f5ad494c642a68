/** An administrator sees the countries whose one-time passwords are held, and allows them again or for good. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { allowOtps, listOtpHolds } from '../../../shared/admin/otp-holds.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { noKill } from '../../support/faults/kill-process.ts';
import { newClient, otpHoldsIn, otpHoldTables, start } from '../../support/message/otp-hold-world.ts';
import { batchesOf, traffic } from '../../support/message/otp-traffic.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await otpHoldTables();
});
afterAll(() => tables.drop());

const { holds, consumer, heldCountries, entriesOf } = otpHoldsIn(() => tables);

describe('an administrator', () => {
  const actor = 'Ada (shell)';
  const admin = (now: Date): AdminDependencies =>
    ({
      mode: 'live',
      otpHolds: holds(),
      clients: { find: async (id: string) => ({ client_id: id, name: 'Shop' }) },
      activityLog: dynamoActivityLog(tables.dynamo, tables.names.activity_log, 30),
      clock: () => now,
    }) as unknown as AdminDependencies;
  const attack = (client: string, from: Date) =>
    batchesOf(traffic(client, 'FR', from, 200, 0, 2), 1000)[0] ?? [];

  it('lists held ones page by page, the newest first, none twice and none left out', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `client-paged-${index}`);
    for (const [index, client_id] of names.entries()) {
      const held_at = addSeconds(start, 86_400 * 365 + Math.floor(index / 2)).toISOString();
      const judged = { since: held_at, sends: 200, verified: 2, threshold: 0.1, usual_share: null };
      await holds().hold({ client_id, country: 'FR', state: 'held', held_at, ...judged }, undefined);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listOtpHolds(admin(start), { limit: 2, cursor });
      expect(page.otp_holds.length).toBeLessThanOrEqual(2);
      seen.push(...page.otp_holds.map(({ client_id }) => client_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined && seen.length < 1000);
    expect(seen.filter((id) => id.startsWith('client-paged-'))).toEqual(names.toReversed());
    await expect(listOtpHolds(admin(start), { limit: 2, cursor: 'bm90aGluZw' })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('sees those of test data where test data is asked for, and live ones else', async () => {
    const [live, test] = ['client-of-modes', 'client-of-modes-test'];
    const at = start.toISOString();
    const judged = { since: at, sends: 200, verified: 2, threshold: 0.1, usual_share: null };
    for (const client_id of [live, test])
      await holds().hold({ client_id, country: 'FR', state: 'held', held_at: at, ...judged }, undefined);
    const heldIn = async (mode: 'live' | 'test') =>
      (await listOtpHolds({ ...admin(start), mode }, { limit: 1000 })).otp_holds
        .map(({ client_id }) => client_id)
        .filter((id) => id.startsWith(live));
    expect([await heldIn('live'), await heldIn('test')]).toEqual([[live], [test]]);
  });

  it('allows them again: what was judged before holds nothing, a later attack does', async () => {
    const client = newClient();
    const { consume } = consumer();
    await consume(attack(client, start));
    const { otp_holds: held } = await listOtpHolds(admin(start), { limit: 100 });
    expect(held.map(({ client_id }) => client_id)).toContain(client);
    const allowedAt = addSeconds(start, 480);
    await allowOtps(admin(allowedAt), actor, { clientId: client, country: 'fr', always: false });
    expect(await heldCountries(client)).toEqual([]);
    await consume(attack(client, start));
    expect(await consume(batchesOf(traffic(client, 'FR', addSeconds(start, 540), 10, 0.5))[0] ?? [])).toEqual(
      [],
    );
    expect(await heldCountries(client)).toEqual([]);
    const later = addSeconds(start, 900);
    await consumer(noKill(), addSeconds(later, 600)).consume(attack(client, later));
    expect(await heldCountries(client)).toEqual(['FR']);
    const kinds = (await entriesOf(client)).map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['otp_allowed', 'otp_held', 'otp_held']);
  });

  it('allows them for good, also before they are held, and ends that', async () => {
    const client = newClient();
    await allowOtps(admin(start), actor, { clientId: client, country: 'FR', always: true });
    await consumer().consume(attack(client, start));
    expect(await heldCountries(client)).toEqual([]);
    await allowOtps(admin(start), actor, { clientId: client, country: 'FR', always: false });
    await consumer().consume(attack(client, addSeconds(start, 60)));
    expect(await heldCountries(client)).toEqual(['FR']);
  });

  it.each([
    ['GB', 'not_found'],
    ['Narnia', 'invalid_request'],
  ])('is told that nothing is held in %s', async (country, code) => {
    const wanted = { clientId: newClient(), country, always: false };
    await expect(allowOtps(admin(start), actor, wanted)).rejects.toMatchObject({ code });
  });
});
