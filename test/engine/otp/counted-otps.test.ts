/** Each one-time password by SMS counts once, whatever the stream repeats and wherever workers die, and so does each hold. */

import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countOtps, otpCounter, otpRecords } from '../../../shared/otp/otp-traffic.dynamo.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { countedMetrics } from '../../support/doubles/counted-metrics.ts';
import { countedDynamo } from '../../support/engine/counted-dynamo.ts';
import { engineConfig } from '../../support/engine/engine.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Kill, Killed } from '../../support/faults/kill-process.ts';
import { newClient, otpHoldsIn, start } from '../../support/message/otp-hold-world.ts';
import { batchesOf, nextSequence, recordsOf, traffic } from '../../support/message/otp-traffic.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['otp_traffic', 'otp_holds', 'count_journal', 'activity_log']);
});
afterAll(() => tables.drop());

const { consumer, heldCountries, hour, entriesOf } = otpHoldsIn(() => tables);

const totalOf = (minutes: readonly { readonly sends: number; readonly verified: number }[]) => ({
  sends: minutes.reduce((sum, { sends }) => sum + sends, 0),
  verified: minutes.reduce((sum, { verified }) => sum + verified, 0),
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
      dynamodb: {
        SequenceNumber: nextSequence(),
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
  ])('count, and are verified with it: %s', async (_what, rows, sends, verified) => {
    const client = newClient();
    await consumer()(recordsOfRows(client, rows, start));
    expect(totalOf(await hour(client, 'FR'))).toEqual({ sends, verified });
  });

  it('are held if each password went by WhatsApp first, and none is verified', async () => {
    const client = newClient();
    const consume = consumer();
    await consume(batchesOf(traffic(client, 'GB', start, 1, 1))[0] ?? []);
    for (let index = 0; index < 150; index += 1)
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
        fc.array(fc.nat({ max: 40 }), { maxLength: 4 }),
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
              await consumer(killAt(death))(batch).catch((error: unknown) => {
                if (!(error instanceof Killed)) throw error;
              });
            }
            await consumer()(batch);
            // Again with its neighbour, as after a bisected batch.
            if (index > 0) await consumer()([...(batches[index - 1] ?? []), ...batch]);
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

  it('with a fortieth of a write unit for a password if a batch is full', async () => {
    const client = newClient();
    const records = Array.from({ length: 500 }, () =>
      recordsOf({ client, country: 'GB', at: start, verifiedAfterSeconds: 0 }).filter(
        (_, index) => index !== 1,
      ),
    ).flat();
    const counted = countedDynamo(engineConfig());
    const counting = otpCounter(
      testContext({ dynamo: counted.documents, names: tables.names }, { clock: () => start }),
    );
    await countOtps(counting, client, otpRecords(records));
    counted.client.destroy();
    // 9 are writes: four for the note and the position, two for the rows, the others for the addition.
    expect(counted.used.units).toBeLessThanOrEqual(12);
  });

  it('and a hold whose worker died after any step has its entry after the repeat', async () => {
    // Counting is 11 calls, a review three, and a hold two: hold, entry.
    for (let death = 0; death < 34; death += 1) {
      const client = newClient();
      const [batch = []] = batchesOf(
        [...traffic(client, 'GB', start, 1, 1), ...traffic(client, 'FR', start, 200, 0, 4)],
        1000,
      );
      await consumer(killAt(death))(batch).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      const metrics = countedMetrics();
      const consume = consumer();
      await consume(batch);
      expect(await heldCountries(client)).toEqual(['FR']);
      expect(await entriesOf(client)).toHaveLength(1);
      expect(metrics).toContain('OtpHeld');
    }
  });
});

/** Before the call or after it, by turns. */
function killAt(step: number): Kill {
  return { at: Math.floor(step / 2), when: step % 2 === 0 ? 'before' : 'after', calls: 0 };
}
