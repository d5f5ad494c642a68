/** An attack over many countries is too little in each of them: all are held, but those whose passwords are verified. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdCheck } from '../../../shared/otp/otp-holds.dynamo.ts';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { newClient, otpHoldsIn, otpHoldTables, start } from '../../support/message/otp-hold-world.ts';
import { batchesOf, traffic } from '../../support/message/otp-traffic.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await otpHoldTables();
});
afterAll(() => tables.drop());

const { holds, consumer, heldCountries, entriesOf } = otpHoldsIn(() => tables);

describe('an attack over many countries', () => {
  const nine = ['FR', 'DE', 'ES', 'IT', 'PL', 'NL', 'BE', 'SE', 'FI'];
  /** A password every 7 seconds, each to the next country: 55 an hour for each of nine. */
  const spread = (client: string, countries: readonly string[], from = start, count = 400) =>
    traffic(client, '', from, count, 0, 7).map((one, index) => ({
      ...one,
      country: countries[index % countries.length] ?? '',
    }));

  it('is held in all countries but those whose passwords are verified', async () => {
    const client = newClient();
    const { consume } = consumer();
    const good = [addDays(start, -1), start].flatMap((from) => traffic(client, 'GB', from, 200, 0.7, 18));
    const batches = batchesOf([...good, ...spread(client, nine)], 50);
    const held = [];
    for (const batch of batches) held.push(...(await consume(batch)));
    expect(held[0]).toMatchObject({ client_id: client, country: '*', except: ['GB'] });
    expect(await heldCountries(client)).toEqual(['*']);
    // A fifth of these are good: at about 200 bad ones, of the 400 of the attack.
    expect(held[0]?.sends).toBeLessThan(300);
    const assertNotHeld = holdCheck(holds(), () => start);
    await assertNotHeld(client, 'GB');
    for (const country of ['FR', 'JP', 'ZZ'])
      await expect(assertNotHeld(client, country)).rejects.toMatchObject({ code: 'otp_held' });
    const [entry] = await entriesOf(client);
    expect(entry).toMatchObject({
      kind: 'otp_held',
      summary: expect.stringContaining('all countries but GB'),
    });
  });

  it('is held for a client that has sent nothing before, too', async () => {
    const client = newClient();
    for (const batch of batchesOf(spread(client, nine), 50)) await consumer().consume(batch);
    expect(await heldCountries(client)).toEqual(['*']);
  });

  it('is not what an attack on one country is, nor a country that is never held', async () => {
    const [one, exempt] = [newClient(), newClient()];
    for (const batch of batchesOf([
      ...traffic(one, 'GB', start, 60, 0.7, 60),
      ...traffic(one, 'FR', start, 300, 0, 7),
    ]))
      await consumer().consume(batch);
    expect(await heldCountries(one)).toEqual(['FR']);
    for (const country of ['FR', 'DE'])
      await holds().allow({
        client_id: exempt,
        country,
        state: 'allowed',
        allowed_at: start.toISOString(),
        allowed_by: 'Ada',
        always: true,
      });
    for (const batch of batchesOf(spread(exempt, ['FR', 'DE'])))
      expect(await consumer().consume(batch)).toEqual([]);
    expect(await heldCountries(exempt)).toEqual([]);
  });

  it('is not good traffic to many countries, a few each, as usual for the client', async () => {
    const [good, seldom] = [newClient(), newClient()];
    const some = (client: string, from: Date, share: number) =>
      traffic(client, '', from, 300, share, 10).map((one, index) => ({
        ...one,
        country: [...nine, 'GB', 'US'][index % 11] ?? '',
      }));
    const days = [addDays(start, -2), addDays(start, -1), start];
    const sent = [...some(good, start, 0.6), ...days.flatMap((from) => some(seldom, from, 0.15))];
    for (const batch of batchesOf(sent, 100)) await consumer().consume(batch);
    expect(await heldCountries(good)).toEqual([]);
    expect(await heldCountries(seldom)).toEqual([]);
  });

  it('ends when an administrator allows them, and a country that is allowed for good is not held by it', async () => {
    const client = newClient();
    const batches = batchesOf(spread(client, nine), 50);
    for (const batch of batches) await consumer().consume(batch);
    const assertNotHeld = () => holdCheck(holds(), () => start);
    await holds().allow({
      client_id: client,
      country: 'SE',
      state: 'allowed',
      allowed_at: start.toISOString(),
      allowed_by: 'Ada',
      always: true,
    });
    await assertNotHeld()(client, 'SE');
    await expect(assertNotHeld()(client, 'FI')).rejects.toMatchObject({ code: 'otp_held' });
    await holds().allow({
      client_id: client,
      country: '*',
      state: 'allowed',
      allowed_at: addSeconds(start, 4000).toISOString(),
      allowed_by: 'Ada',
      always: false,
    });
    await assertNotHeld()(client, 'FI');
    for (const batch of batches) await consumer().consume(batch);
    expect(await heldCountries(client)).toEqual([]);
  });
});
