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
import { holdCheck } from '../../../shared/otp/hold/otp-hold.ts';
import { dynamoOtpHolds } from '../../../shared/otp/hold/otp-holds.dynamo.ts';
import {
  dynamoOtpCounter,
  dynamoOtpTrafficReader,
  otpRecords,
} from '../../../shared/otp/hold/otp-traffic.dynamo.ts';
import { countOtps } from '../../../shared/otp/hold/otp-traffic.ts';
import { type ReviewDependencies, reviewTraffic } from '../../../shared/otp/hold/review-traffic.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { countedDynamo } from '../../support/engine/counted-dynamo.ts';
import { engineConfig } from '../../support/engine/engine.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';
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
const reader = () => dynamoOtpTrafficReader(tables.dynamo, tables.names.otp_traffic);

/** What the function does with a batch of the stream. */
function consumer(kill: Kill = noKill(), now = start) {
  const { dynamo, names } = tables;
  const clock = () => now;
  const counting = { traffic: names.otp_traffic, countedChanges: names.counted_changes };
  const counter = killable(dynamoOtpCounter(dynamo, counting, clock), kill);
  const metrics: string[] = [];
  const review: ReviewDependencies = {
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
  it('is held in the attacked country of the attacked client only, with one entry that tells why', async () => {
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
    expect(await holds().heldCountries(attacked)).toEqual(['FR']);
    expect(await holds().heldCountries(other)).toEqual([]);
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
    // 24 are writes: two for each of ten KB of ids and of two rows. The others read what was counted of the minute.
    expect(counted.used.units).toBeLessThanOrEqual(24 + 4);
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
      expect(await holds().heldCountries(client)).toEqual(['FR']);
      expect(await entriesOf(client)).toHaveLength(1);
      expect(metrics).toEqual(['OtpHeld']);
    }
  });
});

describe('an administrator', () => {
  const actor = 'Ada (shell)';
  const admin = (now: Date): AdminDependencies =>
    ({
      otpHolds: holds(),
      clients: { find: async (id: string) => ({ client_id: id, name: 'Shop' }) },
      activityLog: dynamoActivityLog(tables.dynamo, tables.names.activity_log, 30),
      clock: () => now,
    }) as unknown as AdminDependencies;
  const attack = (client: string, from: Date) =>
    batchesOf(traffic(client, 'FR', from, 200, 0, 2), 1000)[0] ?? [];

  it('allows them again: what was judged before holds nothing, a later attack does', async () => {
    const client = newClient();
    const { consume } = consumer();
    await consume(attack(client, start));
    expect((await listOtpHolds(admin(start))).map(({ client_id }) => client_id)).toContain(client);
    const allowedAt = addSeconds(start, 480);
    await allowOtps(admin(allowedAt), actor, { clientId: client, country: 'fr', always: false });
    expect(await holds().heldCountries(client)).toEqual([]);
    await consume(attack(client, start));
    expect(await consume(batchesOf(traffic(client, 'FR', addSeconds(start, 540), 10, 0.5))[0] ?? [])).toEqual(
      [],
    );
    expect(await holds().heldCountries(client)).toEqual([]);
    const later = addSeconds(start, 900);
    await consumer(noKill(), addSeconds(later, 600)).consume(attack(client, later));
    expect(await holds().heldCountries(client)).toEqual(['FR']);
    const kinds = (await entriesOf(client)).map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['otp_allowed', 'otp_held', 'otp_held']);
  });

  it('allows them for good, also before they are held, and ends that', async () => {
    const client = newClient();
    await allowOtps(admin(start), actor, { clientId: client, country: 'FR', always: true });
    await consumer().consume(attack(client, start));
    expect(await holds().heldCountries(client)).toEqual([]);
    await allowOtps(admin(start), actor, { clientId: client, country: 'FR', always: false });
    await consumer().consume(attack(client, addSeconds(start, 60)));
    expect(await holds().heldCountries(client)).toEqual(['FR']);
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
      heldCountries: (id) => {
        reads += 1;
        return holds().heldCountries(id);
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
