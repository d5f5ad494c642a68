/**
 * One-time passwords by SMS of which few are verified are held, until an administrator allows them: those of one client, to one
 * country or to all. A client that verifies none at all is noticed once in 30 days.
 */

import { beforeEach, describe, expect, it } from '@jest/globals';
import { stages } from '../../../lib/stages/stages.ts';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { allowOtps, listOtpHolds } from '../../../shared/admin/otp-holds.ts';
import { storeClient } from '../../../shared/client/client-store.dynamo.ts';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { assertNotHeld, type OtpHoldState } from '../../../shared/otp/otp-holds.dynamo.ts';
import { ttlSeconds } from '../../../shared/otp/otp-request.ts';
import { isLow, settleSeconds } from '../../../shared/otp/review-traffic.ts';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import { countedMetrics } from '../../support/doubles/counted-metrics.ts';
import { type InMemoryTables, inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { noKill } from '../../support/faults/kill-process.ts';
import { aClient } from '../../support/message/ask-operation.ts';
import { newClient, otpHoldsIn, start } from '../../support/message/otp-hold-world.ts';
import { batchesOf, traffic } from '../../support/message/otp-traffic.ts';

let tables: InMemoryTables;
/** Runs around the next update of a row. */
let aroundUpdate: (run: () => unknown) => unknown;
beforeEach(() => {
  aroundUpdate = (run) => run();
  tables = inMemoryTables({
    around: ({ operation }, run) => {
      if (operation !== 'UpdateItem') return run();
      const around = aroundUpdate;
      aroundUpdate = (next) => next();
      return around(run) as ReturnType<typeof run>;
    },
  });
});

const { replaceHold, findHold, consumer, heldCountries, hour, entriesOf } = otpHoldsIn(() => tables);
type Sent = ReturnType<typeof traffic>;

/** Adds a password ten minutes later, when the codes of the others have expired. */
async function review(...sent: Sent) {
  const latest = Math.max(...sent.map(({ at }) => at.getTime()));
  const [{ client = '' } = {}] = sent;
  const [batch = []] = batchesOf(
    [...sent, ...traffic(client, 'JP', addSeconds(new Date(latest), 600), 1, 0)],
    9999,
  );
  return consumer(noKill(), new Date(latest))(batch);
}
const attack = (client: string, from = start, country = 'FR') => traffic(client, country, from, 60, 0, 5);
const spread = (client: string, countries: readonly string[]) =>
  countries.flatMap((country) => traffic(client, country, start, 15, 0, 60));
/** A client that verifies: of two passwords an hour, both. */
function verifyingClient() {
  const client = newClient();
  return { client, usual: traffic(client, 'GB', addDays(start, -1), 2, 1) };
}
const held = (client_id: string, country = 'FR', changed_at = start.toISOString()): OtpHoldState => ({
  ...{ client_id, country, state: 'held', changed_at, since: changed_at, sends: 60, verified: 2 },
});
const allowed = (client_id: string, country: string, always = false): OtpHoldState => ({
  ...{ client_id, country, state: 'allowed', changed_at: start.toISOString(), allowed_by: 'Ada', always },
});
const refusal = (client: string, country: string) =>
  assertNotHeld(testContext(tables, { clock: () => start }), client, country).then(
    () => undefined,
    (error: unknown) => error,
  );

it.each([
  [49, 0, false],
  [50, 0, true],
  [50, 4, true],
  [50, 5, false],
  [500, 49, true],
  [50, 90, false],
])('of %i passwords, %i are verified: low is %s', (sends, verified, expected) => {
  expect(isLow({ sends, verified }, stages.production.otpHold)).toBe(expected);
});

describe('an attack on one country', () => {
  it('is held there, for that client only, with an entry that says why', async () => {
    const [{ client, usual }, other] = [verifyingClient(), verifyingClient()];
    const good = traffic(other.client, 'FR', start, 60, 0.7, 5);
    await review(...other.usual, ...good);
    expect(await review(...usual, ...attack(client))).toMatchObject([{ country: 'FR', state: 'held' }]);
    expect(await heldCountries(client)).toEqual(['FR']);
    expect(await heldCountries(other.client)).toEqual([]);
    expect(await entriesOf(client)).toMatchObject([
      { kind: 'otp_held', summary: 'One-time passwords to FR are held: 0 of 60 (0 %) were verified.' },
    ]);
    expect(await refusal(client, 'FR')).toBeInstanceOf(GatewayError);
    expect(await refusal(client, 'FR')).toMatchObject({ code: 'otp_held', status: 403 });
    expect(await refusal(client, 'GB')).toBeUndefined();
  });

  it('is not seen in codes that people may still enter, nor in an hour that is over', async () => {
    expect(settleSeconds).toBe(ttlSeconds.default);
    const { client, usual } = verifyingClient();
    const [young = []] = batchesOf([...usual, ...traffic(client, 'FR', start, 200, 0, 1)], 9999);
    expect(await consumer()(young)).toEqual([]);
    await review(...traffic(client, 'GB', addSeconds(start, 7200), 1, 1));
    expect(await heldCountries(client)).toEqual([]);
  });

  it('is not seen in passwords by WhatsApp', async () => {
    const { client, usual } = verifyingClient();
    await review(...usual, ...attack(client).map((one) => ({ ...one, channel: 'whatsapp' })));
    expect(await hour(client, 'FR')).toEqual([]);
    expect(await heldCountries(client)).toEqual([]);
  });

  it('is not seen in good traffic that is read a day late', async () => {
    const { client, usual } = verifyingClient();
    const consume = consumer(noKill(), addDays(start, 1));
    for (const batch of batchesOf([...usual, ...traffic(client, 'GB', start, 300, 0.7, 5)], 20))
      expect(await consume(batch)).toEqual([]);
  });
});

describe('an attack over many countries', () => {
  it('is held in all of them', async () => {
    const { client, usual } = verifyingClient();
    await review(...usual, ...spread(client, ['FR', 'DE', 'ES', 'IT']));
    expect(await heldCountries(client)).toEqual(['*']);
    for (const country of ['FR', 'GB', 'ZZ'])
      expect(await refusal(client, country)).toMatchObject({ code: 'otp_held' });
  });

  it('is not what goes to countries that are held or allowed', async () => {
    const { client, usual } = verifyingClient();
    for (const state of [held(client, 'FR'), allowed(client, 'DE', true)])
      await replaceHold(undefined, state);
    await review(...usual, ...spread(client, ['FR', 'DE', 'ES', 'IT']));
    expect(await heldCountries(client)).toEqual(['FR']);
  });

  it('does not hold a country that an administrator allowed', async () => {
    const { client } = verifyingClient();
    await replaceHold(undefined, held(client, '*'));
    await replaceHold(undefined, allowed(client, 'GB'));
    expect(await refusal(client, 'GB')).toBeUndefined();
    expect(await refusal(client, 'FR')).toMatchObject({ code: 'otp_held' });
  });
});

describe('a client that verified no password in 30 days', () => {
  it('is noticed once in 30 days, and not held', async () => {
    const client = newClient();
    const old = traffic(client, 'FR', addDays(start, -31), 10, 1);
    const metrics = countedMetrics();
    const consume = consumer(noKill(), start);
    const later = traffic(client, 'DE', addSeconds(start, 1800), 60, 0, 5);
    for (const batch of batchesOf([...old, ...attack(client), ...later], 40)) await consume(batch);
    expect(await heldCountries(client)).toEqual([]);
    expect(await entriesOf(client)).toMatchObject([{ kind: 'otp_unverified' }]);
    expect(metrics).toContain('OtpHeld');
    metrics.length = 0;
    const nextDay = consumer(noKill(), addDays(start, 1));
    const more = traffic(client, 'FR', addDays(start, 1), 150, 0, 5);
    for (const batch of batchesOf(more, 10)) await nextDay(batch);
    expect(metrics).toEqual([]);
    expect(await entriesOf(client)).toHaveLength(1);
    await review(...attack(client, addDays(start, 31)));
    expect(await entriesOf(client)).toHaveLength(2);
    expect(await heldCountries(client)).toEqual([]);
  });

  it('is not noticed if an administrator allowed all its passwords', async () => {
    const client = newClient();
    await replaceHold(undefined, allowed(client, '*', true));
    await review(...attack(client));
    expect(await entriesOf(client)).toEqual([]);
    expect(await findHold(client, '*')).toEqual(allowed(client, '*', true));
  });

  it('is held as soon as it verifies some', async () => {
    const client = newClient();
    await review(...attack(client));
    const tomorrow = addDays(start, 1);
    await review(...traffic(client, 'GB', tomorrow, 2, 1), ...attack(client, tomorrow));
    expect(await heldCountries(client)).toEqual(['FR']);
  });
});

describe('an administrator', () => {
  const admin = (now = start, mode = 'live') =>
    ({
      ...testContext(tables),
      mode,
      clock: () => now,
    }) as unknown as AdminContext;
  const allow = async (clientId: string, country: string, always: boolean, now = start) => {
    await storeClient(admin(now), aClient({ client_id: clientId, name: 'Shop' }));
    return allowOtps(admin(now), 'Ada', { clientId, country, always });
  };

  it('lists them page by page, the newest first, and those of test data if asked', async () => {
    const clients = ['a', 'b', 'c', 'd', 'e'].map((name) => `client-${name}`);
    for (const [index, client] of clients.entries())
      await replaceHold(undefined, held(client, 'FR', addSeconds(start, index >> 1).toISOString()));
    await replaceHold(undefined, held('client-a-test'));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listOtpHolds(admin(), { limit: 2, cursor });
      seen.push(...page.otp_holds.map(({ client_id }) => client_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined && seen.length < 99);
    expect(seen).toEqual(clients.toReversed());
    const { otp_holds: ofTest } = await listOtpHolds(admin(start, 'test'), { limit: 9 });
    expect(ofTest.map(({ client_id }) => client_id)).toEqual(['client-a-test']);
    await expect(listOtpHolds(admin(), { limit: 2, cursor: 'bm90aGluZw' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('allows them: only later passwords are judged', async () => {
    const { client, usual } = verifyingClient();
    await review(...usual, ...attack(client));
    await allow(client, 'fr', false, addSeconds(start, 900));
    expect(await heldCountries(client)).toEqual([]);
    await review(...traffic(client, 'FR', addSeconds(start, 960), 10, 0));
    expect(await heldCountries(client)).toEqual([]);
    await review(...attack(client, addSeconds(start, 1800)));
    expect(await heldCountries(client)).toEqual(['FR']);
    const kinds = (await entriesOf(client)).map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['otp_allowed', 'otp_held', 'otp_held']);
  });

  it('allows them for good, also before they are held, and ends that', async () => {
    const { client, usual } = verifyingClient();
    await allow(client, 'FR', true);
    await review(...usual, ...attack(client));
    expect(await heldCountries(client)).toEqual([]);
    await allow(client, 'FR', false, addSeconds(start, 1800));
    await review(...attack(client, addSeconds(start, 1860)));
    expect(await heldCountries(client)).toEqual(['FR']);
  });

  it('is told if another changed them at that moment', async () => {
    await replaceHold(undefined, held('client-a'));
    aroundUpdate = async (update) => {
      await allow('client-a', 'FR', true, addSeconds(start, 1));
      return update();
    };
    await expect(allow('client-a', 'FR', false)).rejects.toMatchObject({ code: 'concurrent_change' });
    expect(await findHold('client-a', 'FR')).toMatchObject({ always: true });
  });

  it('cannot allow them to what is no country', async () => {
    await expect(allow('client-a', 'Narnia', false)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

it('a row that is malformed stops only itself', async () => {
  const { client, usual } = verifyingClient();
  await replaceHold(undefined, { ...held(client), sends: 'many' } as never);
  await review(...usual, ...attack(client), ...attack(client, start, 'DE'));
  expect(await heldCountries(client)).toEqual(['DE']);
  expect(await refusal(client, 'FR')).toBeUndefined();
});

it('the check of a send reads once in 20 seconds', async () => {
  let now = start;
  let reads = 0;
  const counting = inMemoryTables({
    around: (_call, run) => {
      reads += 1;
      return run();
    },
  });
  const context = testContext(counting, { clock: () => now });
  for (let send = 0; send < 5; send += 1) await assertNotHeld(context, 'client-a', 'FR');
  now = addSeconds(start, 21);
  await assertNotHeld(context, 'client-a', 'FR');
  expect(reads).toBe(2);
});
