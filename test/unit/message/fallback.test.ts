/** Sends with `fallback`: which legs start and when, against a model, and whatever dies or is repeated on the way. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import {
  expectedStarts,
  type Fate,
  type PlannedLeg,
  runFallback,
  startsOf,
} from '../../support/message/fallback-run.ts';
import { legFindings } from '../../support/message/leg-invariants.ts';
import { crashFaults } from '../../support/simulation/processes.ts';
import { usualFaults } from '../../support/simulation/usual-faults.ts';

const fates: readonly Fate[] = ['delivered', 'refused', 'failed', 'expired', 'silent'];
const leg: fc.Arbitrary<PlannedLeg> = fc.record({
  channel: fc.constantFrom('sms', 'whatsapp'),
  afterSeconds: fc.option(fc.integer({ min: 10, max: 1200 }), { nil: undefined }),
  fate: fc.constantFrom(...fates),
});
const legs = fc
  .tuple(leg, fc.array(leg, { minLength: 1, maxLength: 2 }))
  .map(([first, more]): readonly [PlannedLeg, ...PlannedLeg[]] => [first, ...more]);
const validitySeconds = fc.integer({ min: 60, max: 900 });
const lateSeconds = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900 }));

describe('the legs of a send', () => {
  it('start when the model says, or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(legs, validitySeconds, lateSeconds, async (planned, validity, late) => {
        const expected = expectedStarts(planned, validity, late);
        fc.pre(!expected.isClose);
        const { gateway, legs: started } = await runFallback({
          legs: planned,
          validitySeconds: validity,
          lateMs: (what) => (what === 'receipts' ? late * 1000 : 0),
        });
        expect(legFindings(gateway, 0).violations).toEqual([]);
        expect(started.map(({ channel }) => channel)).toEqual([
          'sms',
          ...planned.slice(1, expected.starts.length).map(({ channel }) => channel),
        ]);
        for (const [index, at] of startsOf(started).entries()) {
          const [earliest = 0, latest = 0] = expected.starts[index] ?? [];
          expect(at).toBeGreaterThanOrEqual(earliest);
          expect(at).toBeLessThanOrEqual(latest);
        }
        for (const { message_id } of started)
          expect(gateway.handOvers.get(message_id)?.length ?? 0).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it('are the same with doubled queue messages, repeated stream batches and calls that fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        legs,
        validitySeconds,
        lateSeconds,
        fc.nat(),
        async (planned, validity, late, seed) => {
          const faults = usualFaults(randomFrom(seed), 0);
          const { gateway } = await runFallback({
            legs: planned,
            validitySeconds: validity,
            ...faults,
            lateMs: (what) => (what === 'receipts' ? late * 1000 : (faults.lateMs?.(what) ?? 0)),
          });
          expect(legFindings(gateway, 0).violations).toEqual([]);
        },
      ),
      { numRuns: 20 },
    );
  });

  const threeLegs = [
    { channel: 'sms', fate: 'silent' },
    { channel: 'whatsapp', afterSeconds: 30, fate: 'failed' },
    { channel: 'sms', fate: 'delivered' },
  ] as const satisfies readonly PlannedLeg[];

  it.each(crashFaults)('all start once if any call of a worker has the fault %s', async (fault) => {
    const run = (at?: number) =>
      runFallback({
        legs: threeLegs,
        validitySeconds: 60,
        fault: (_call, index) => (index === at ? fault : undefined),
      });
    const { calls } = (await run()).gateway.world.processes;
    // Of the minutes after the last leg, nothing more is to be learned.
    const last = calls.lastIndexOf('messages createLeg') + 30;
    for (let index = 0; index < Math.min(last, calls.length); index += 1) {
      const { gateway, legs: started } = await run(index);
      expect([index, calls[index], ...legFindings(gateway, 0).violations]).toEqual([index, calls[index]]);
      expect(started.map(({ leg: number = 1 }) => number)).toEqual([1, 2, 3]);
    }
  });

  const twoLegs = [
    { channel: 'sms', fate: 'silent' },
    { channel: 'whatsapp', afterSeconds: 30, fate: 'delivered' },
  ] as const satisfies readonly PlannedLeg[];

  it('do not start if the receipt of an earlier one is written at the same moment', async () => {
    /** The receipt of the first leg is written between the worker's checks and the start of the second. */
    const messagesThrough = (store: MessageStore): MessageStore => ({
      ...store,
      async createLeg(leg, earlier) {
        await store.transition(leg.fallback_of ?? '', { to: 'delivered', at: new Date(leg.created_at) });
        return store.createLeg(leg, earlier);
      },
    });
    const { legs } = await runFallback({ legs: twoLegs, validitySeconds: 60, messagesThrough });
    expect(legs.map(({ status }) => status)).toEqual(['delivered']);
  });

  it('are stored once by two workers at once', async () => {
    const { gateway, legs } = await runFallback({ legs: twoLegs, validitySeconds: 60, copies: () => 2 });
    expect(legs).toHaveLength(2);
    expect(legFindings(gateway, 0).violations).toEqual([]);
  });
});
