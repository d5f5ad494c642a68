/**
 * One-time passwords are held by what is on their table's stream, on the real tables: only the attacked client and country
 * are held, and a send learns of it within seconds.
 */

import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { holdCheck } from '../../../shared/otp/otp-holds.dynamo.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { noKill } from '../../support/faults/kill-process.ts';
import { newClient, otpHoldsIn, otpHoldTables, start } from '../../support/message/otp-hold-world.ts';
import { batchesOf, changedAt, traffic } from '../../support/message/otp-traffic.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await otpHoldTables();
});
afterAll(() => tables.drop());

const { holds, consumer, heldCountries, hour, entriesOf } = otpHoldsIn(() => tables);

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
        SequenceNumber: '1',
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
