/** Sends with `fallback`: which legs start and when, against a model, and whatever dies or is repeated on the way. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { earlierLegIds, laterLegIds, nextLegDueAt } from '../../../shared/message/dispatch/fallback.ts';
import type { Message } from '../../../shared/message/message.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import {
  expectedStarts,
  type Fate,
  type PlannedLeg,
  runFallback,
  startsOf,
} from '../../support/message/fallback-run.ts';
import type { Gateway } from '../../support/simulation/gateway.ts';
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

const hourMs = 3_600_000;

/**
 * What must hold of sends with `fallback` at the end: no leg started too early or after one was delivered, none is missing,
 * and none was handed over once it was not needed any more.
 */
function legFindings(gateway: Gateway): readonly string[] {
  const rows = new Map(gateway.messages.all().map((message) => [message.message_id, message]));
  const violations: string[] = [];

  for (const { leg, previous, earlier, atMs } of gateway.legStarts) {
    for (const status of earlier)
      if (status === 'delivered' || status === 'read' || status === 'canceled' || status === undefined)
        violations.push(`${leg.message_id} started although an earlier leg was ${status}`);
    const dueMs = previous === undefined ? undefined : nextLegDueAt(previous)?.getTime();
    if (dueMs === undefined || dueMs > atMs) violations.push(`${leg.message_id} started before it was due`);
  }

  const started = new Map<string, number>();
  for (const { fallback_of, leg } of rows.values())
    if (fallback_of !== undefined)
      started.set(`${fallback_of}, leg ${leg}`, (started.get(`${fallback_of}, leg ${leg}`) ?? 0) + 1);
  for (const [leg, times] of started) if (times > 1) violations.push(`${leg}, started ${times} times`);

  for (const message of rows.values()) {
    const [nextId] = laterLegIds(message);
    if (nextId !== undefined && !rows.has(nextId)) {
      if (mustHaveFollowed(message)) violations.push(`${message.message_id}: its next leg did not start`);
    }
    const earlier = earlierLegIds(message);
    const endedAtMs = Math.min(...earlier.map((id) => gateway.deliveredAtMs.get(id) ?? Infinity));
    for (const { claim } of gateway.handOvers.get(message.message_id) ?? [])
      if (claim.claimedAtMs > endedAtMs)
        violations.push(`${message.message_id} was handed over although it was not needed`);
  }
  return violations;

  /** Whether nothing explains that the next leg is missing: it was due, and there was time for every repair. */
  function mustHaveFollowed(message: Message): boolean {
    const [first] = message.fallback ?? [];
    const { otp, queued_at, status, failed_at, expired_at } = message;
    if (first === undefined || queued_at === undefined || status === 'canceled') return false;
    const failedAt = failed_at ?? expired_at;
    const ended =
      failedAt === undefined || nextLegDueAt(message) === undefined ? Infinity : Date.parse(failedAt);
    const late =
      first.after_seconds === undefined ? Infinity : Date.parse(queued_at) + 1000 * first.after_seconds;
    const dueMs = Math.min(ended, late);
    const validityMs =
      Date.parse(message.expires_at) - Date.parse(message.scheduled_at ?? message.created_at);
    const repairedMs = dueMs + validityMs + 2 * hourMs;
    const ids = [...earlierLegIds(message), message.message_id];
    const endedMs = Math.min(
      ...ids.map((id) => gateway.deliveredAtMs.get(id) ?? Infinity),
      otp === undefined ? Infinity : Date.parse(otp.expires_at),
    );
    return dueMs !== Infinity && endedMs > repairedMs;
  }
}

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
        expect(legFindings(gateway)).toEqual([]);
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
          expect(legFindings(gateway)).toEqual([]);
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
      expect([index, calls[index], ...legFindings(gateway)]).toEqual([index, calls[index]]);
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
    expect(legFindings(gateway)).toEqual([]);
  });
});
