/**
 * One-time passwords are held by what is on their table's stream, on the real tables: whatever the stream repeats and
 * wherever workers die, each password counts once, and only the attacked client and country are held.
 */

import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stages } from '../../../lib/stages/stages.ts';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { allowOtps, listOtpHolds } from '../../../shared/admin/otp-holds.ts';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { dynamoOtpHolds, holdCheck } from '../../../shared/otp/otp-holds.dynamo.ts';
import {
  countOtps,
  dynamoOtpCounter,
  dynamoOtpTrafficReader,
  otpRecords,
} from '../../../shared/otp/otp-traffic.dynamo.ts';
import { reviewTraffic, type TrafficReviewDependencies } from '../../../shared/otp/review-traffic.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { countedDynamo } from '../../support/engine/counted-dynamo.ts';
import { engineConfig } from '../../support/engine/engine.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Kill, Killed, killable, noKill } from '../../support/faults/kill-process.ts';
import { batchesOf, changedAt, recordsOf, traffic } from '../../support/message/otp-traffic.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['otp_traffic', 'otp_holds', 'counted_changes', 'activity_log']);
});
afterAll(() => tables.drop());

const start = new Date('2026-11-20T10:00:00.000Z');
const rule = stages.production.otpHold;
const holds = () => dynamoOtpHolds(tables.dynamo, tables.names.otp_holds);
const heldCountries = async (client: string) =>
  (await holds().ofClient(client)).flatMap(({ state, country }) => (state === 'held' ? [country] : []));
const reader = () => dynamoOtpTrafficReader(tables.dynamo, tables.names.otp_traffic);

/** What the function does with a batch of the stream. */
function consumer(kill: Kill = noKill(), now = start) {
  const { dynamo, names } = tables;
  const clock = () => now;
  const counting = { traffic: names.otp_traffic, countedChanges: names.counted_changes };
  const counter = killable(dynamoOtpCounter(dynamo, counting, clock), kill);
  const metrics: string[] = [];
  const review: TrafficReviewDependencies = {
    traffic: reader(),
    holds: killable(holds(), kill),
    activityLog: killable(dynamoActivityLog(dynamo, names.activity_log, 30), kill),
    rule,
    clock,
    countMetric: (name) => metrics.push(name),
  };
  const consume = async (batch: readonly StreamRecord[]) => {
    const records = otpRecords(batch);
    await countOtps({ counter, sleep: async () => undefined, random: () => 0 }, records);
    return reviewTraffic(review, records);
  };
  return { consume, metrics };
}

let numbers = 0;
const newClient = (): string => {
  numbers += 1;
  return `client-${numbers}`;
};

async function entriesOf(client: string) {
  const { Items = [] } = await tables.dynamo.send(new ScanCommand({ TableName: tables.names.activity_log }));
  return Items.filter(({ client_id }) => client_id === client);
}

const hour = (client: string, country: string, since = start) =>
  reader().minutes(client, country, addDays(since, -1), addDays(since, 1));

const totalOf = (minutes: readonly { readonly sends: number; readonly verified: number }[]) => ({
  sends: minutes.reduce((sum, { sends }) => sum + sends, 0),
  verified: minutes.reduce((sum, { verified }) => sum + verified, 0),
});

describe('a replayed attack', () => {
  it('is held in the attacked country of the attacked client only, with one entry that says why', async () => {
    const [attacked, other] = [newClient(), newClient()];
    const yesterday = addDays(start, -1);
    const { consume, metrics } = consumer();
    const usual = [attacked, other].flatMap((client) =>
      ['GB', 'FR'].flatMap((country) => traffic(client, country, yesterday, 60, 0.7, 60)),
    );
    for (const batch of batchesOf(usual, 200)) expect(await consume(batch)).toEqual([]);
    // Good traffic goes on, and a program adds a password every 2 seconds, of which 2 % are verified.
    const today = [
      ...usual.map((one) => ({ ...one, at: addDays(one.at, 1) })),
      ...traffic(attacked, 'FR', addSeconds(start, 600), 300, 0.02, 2),
    ];
    let heldAfter: number | undefined;
    for (const batch of batchesOf(today, 25)) {
      const [hold] = await consume(batch);
      if (hold === undefined) continue;
      const latest = Math.max(...batch.map(changedAt)) - epochSeconds(start);
      heldAfter ??= Math.floor((latest - 600) / 2);
      expect(hold).toMatchObject({ client_id: attacked, country: 'FR' });
    }
    // 40 or so are judged, the others are younger than the two minutes in which a person may still enter them.
    expect(heldAfter).toBeLessThanOrEqual(140);
    expect(await heldCountries(attacked)).toEqual(['FR']);
    expect(await heldCountries(other)).toEqual([]);
    const entries = await entriesOf(attacked);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      kind: 'otp_held',
      after: { country: 'FR', usual_share: expect.closeTo(0.7, 1) },
    });
    expect(metrics).toContain('OtpHeld');
  });

  it('is not seen in passwords by WhatsApp, nor in rows that are no passwords', async () => {
    const client = newClient();
    const { consume } = consumer();
    const sent = traffic(client, 'FR', start, 200, 0, 1).map((one) => ({ ...one, channel: 'whatsapp' }));
    const other: StreamRecord = {
      eventID: 'event-slot',
      dynamodb: {
        ApproximateCreationDateTime: epochSeconds(start),
        NewImage: marshall({ otp_id: 'pending#a', latest: 'otp_1' }),
      },
    };
    for (const batch of batchesOf(sent)) expect(await consume([...batch, other])).toEqual([]);
    expect(await hour(client, 'FR')).toEqual([]);
  });

  it('is not seen in good traffic that is read a day late, verifications after sends as in the stream', async () => {
    const client = newClient();
    const { consume } = consumer(noKill(), addDays(start, 1));
    for (const batch of batchesOf(traffic(client, 'GB', start, 300, 0.7, 2), 20)) {
      expect(await consume(batch)).toEqual([]);
    }
  });
});

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

describe('SMS that are not the first message with a password', () => {
  /** The rows of a password as sends change them. */
  function recordsOfRows(client: string, rows: readonly object[], from: Date): StreamRecord[] {
    const whole = rows.map((row) => ({
      otp_id: `otp_${client}_${from.toISOString()}`,
      client_id: client,
      country: 'FR',
      status: 'pending',
      created_at: from.toISOString(),
      ...row,
    }));
    return whole.map((row, index) => ({
      eventID: `${client} ${from.toISOString()} ${index}`,
      dynamodb: {
        ApproximateCreationDateTime: epochSeconds(from),
        ...(index === 0 ? {} : { OldImage: marshall(whole[index - 1] ?? {}) }),
        NewImage: marshall(row),
      },
    }));
  }

  it.each<[string, readonly object[], number, number]>([
    [
      'by WhatsApp only',
      [
        { channel: 'whatsapp', sms_sends: 0 },
        { channel: 'whatsapp', sms_sends: 0, status: 'verified' },
      ],
      0,
      0,
    ],
    [
      'by WhatsApp, then by SMS',
      [
        { channel: 'whatsapp', sms_sends: 0 },
        { channel: 'whatsapp', sms_sends: 1 },
      ],
      1,
      0,
    ],
    ['by SMS three times', [1, 2, 3].map((sms_sends) => ({ channel: 'sms', sms_sends })), 3, 0],
    [
      'by SMS twice, and verified after an attempt',
      [
        { channel: 'sms', sms_sends: 1 },
        { channel: 'sms', sms_sends: 2 },
        { channel: 'sms', sms_sends: 2, attempts: 1 },
        { channel: 'sms', sms_sends: 2, attempts: 1, status: 'verified' },
      ],
      2,
      2,
    ],
    [
      'verified while it was sent again',
      [
        { channel: 'sms', sms_sends: 1 },
        { channel: 'sms', sms_sends: 1, status: 'verified' },
        { channel: 'sms', sms_sends: 2, status: 'verified' },
      ],
      2,
      2,
    ],
    ['of an older release, sent again', [{ channel: 'sms' }, { channel: 'sms', sms_sends: 2 }], 2, 0],
    ['of an older release, with a fallback', [{ channel: 'whatsapp', falls_back_to_sms: true }], 1, 0],
  ])('count, and are verified with it: %s', async (_what, rows, sends, verified) => {
    const client = newClient();
    await consumer().consume(recordsOfRows(client, rows, start));
    expect(totalOf(await hour(client, 'FR'))).toEqual({ sends, verified });
  });

  it('are held where each password went by WhatsApp first, and none is verified', async () => {
    const client = newClient();
    const { consume } = consumer();
    for (let index = 0; index < 120; index += 1)
      await consume(
        recordsOfRows(
          client,
          [
            { channel: 'whatsapp', sms_sends: 0 },
            { channel: 'whatsapp', sms_sends: 1 },
          ],
          addSeconds(start, index * 4),
        ),
      );
    expect(await heldCountries(client)).toEqual(['FR']);
  });
});

describe('each password counts once', () => {
  const aSend = fc.record({
    second: fc.integer({ min: 0, max: 1800 }),
    country: fc.constantFrom('GB', 'FR', 'ZZ'),
    verifiedAfterSeconds: fc.option(fc.integer({ min: 5, max: 300 }), { nil: undefined }),
  });

  it('whatever is repeated, and wherever a worker dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aSend, { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 20 }),
        async (sends, deaths, size) => {
          const client = newClient();
          const sent = sends.map(({ second, country, verifiedAfterSeconds }) => ({
            client,
            country,
            at: addSeconds(start, second),
            verifiedAfterSeconds,
          }));
          const batches = batchesOf(sent, size);
          for (const [index, batch] of batches.entries()) {
            const death = deaths[index];
            if (death !== undefined) {
              await consumer(killAt(death))
                .consume(batch)
                .catch((error: unknown) => {
                  if (!(error instanceof Killed)) throw error;
                });
            }
            await consumer().consume(batch);
            // Again with its neighbour, as after a bisected batch.
            if (index > 0) await consumer().consume([...(batches[index - 1] ?? []), ...batch]);
          }
          for (const country of ['GB', 'FR', 'ZZ']) {
            const expected = sent.filter((one) => one.country === country);
            expect(totalOf(await hour(client, country))).toEqual({
              sends: expected.length,
              verified: expected.filter(({ verifiedAfterSeconds: after }) => after !== undefined).length,
            });
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('with a twentieth of a write unit for a password where a batch is full', async () => {
    const client = newClient();
    const records = Array.from({ length: 500 }, () =>
      recordsOf({ client, country: 'GB', at: start, verifiedAfterSeconds: 0 }).filter(
        (_, index) => index !== 1,
      ),
    ).flat();
    const counted = countedDynamo(engineConfig());
    const { otp_traffic, counted_changes } = tables.names;
    const names = { traffic: otp_traffic, countedChanges: `${counted_changes}` };
    const counter = dynamoOtpCounter(counted.documents, names, () => start);
    await countOtps({ counter, sleep: async () => undefined, random: () => 0 }, otpRecords(records));
    counted.client.destroy();
    expect(counted.used.calls).toBe(2);
    // 28 are writes: two for each of ten KB of ids and of four rows. The others read what was counted of the minute.
    expect(counted.used.units).toBeLessThanOrEqual(28 + 4);
  });

  it('and a hold whose worker died after any step has its entry after the repeat', async () => {
    // Counting is two calls, and a hold three: find, hold, entry.
    for (let death = 0; death < 12; death += 1) {
      const client = newClient();
      const [batch = []] = batchesOf(traffic(client, 'FR', start, 200, 0, 2), 1000);
      await consumer(killAt(death))
        .consume(batch)
        .catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
      const { consume, metrics } = consumer();
      await consume(batch);
      expect(await heldCountries(client)).toEqual(['FR']);
      expect(await entriesOf(client)).toHaveLength(1);
      expect(metrics).toEqual(['OtpHeld']);
    }
  });
});

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

it('the check of a send reads once in 20 seconds, and a row that a person spoilt holds nothing', async () => {
  const client = newClient();
  let now = start;
  let reads = 0;
  const assertNotHeld = holdCheck(
    {
      ofClient: (id) => {
        reads += 1;
        return holds().ofClient(id);
      },
    },
    () => now,
  );
  for (let send = 0; send < 5; send += 1) await assertNotHeld(client, 'FR');
  expect(reads).toBe(1);
  await consumer().consume(batchesOf(traffic(client, 'FR', start, 200, 0, 2), 1000)[0] ?? []);
  now = addSeconds(start, 21);
  const refusal = await assertNotHeld(client, 'FR').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(GatewayError);
  expect(refusal).toMatchObject({
    code: 'otp_held',
    status: 403,
    message: expect.stringContaining('to FR are held'),
  });
  await assertNotHeld(client, 'GB');
  expect(reads).toBe(2);
});

/** Before the call or after it, by turns. */
function killAt(step: number): Kill {
  return { at: Math.floor(step / 2), when: step % 2 === 0 ? 'before' : 'after', calls: 0 };
}
