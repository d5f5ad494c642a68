import { describe, expect, it } from '@jest/globals';
import type { SenderPaceStore } from '../../../shared/message/pace/sender-pace.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { UsageCounter } from '../../../shared/usage/count-changes.ts';
import { memorySenderPaceStore } from '../../support/doubles/memory-sender-pace.ts';
import { type RunSettings, runMessages } from '../../support/message/message-run.ts';

/** `npm run test:faults` runs thousands of messages. */
const settings = { seed: 12, total: 60, skewMaxMs: 0 };
const small = { ...settings, seed: 102, total: 20 };
/**
 * At least 37 of 60 runs noticed what was broken, but only 11 of 120 the slots that two workers reserve: so many runs
 * miss even those in about one case of 300.
 */
const triesMax = 60;

/** What the runs find wrong, up to the first that finds `wanted`: one alone may have no fault that matters here. */
async function violationsLike(
  wanted: RegExp,
  broken: () => Partial<RunSettings>,
  { seed, total } = small,
): Promise<string> {
  const found: string[] = [];
  for (let tried = 0; tried < triesMax && !wanted.test(found.join('\n')); tried += 1)
    found.push(...(await runMessages({ ...settings, seed: seed + tried, total, ...broken() })).violations);
  return found.join('\n');
}

let copies = 0;

/** Each removes one condition that a guarantee needs. */
const broken: readonly [string, (store: MessageStore) => MessageStore, RegExp][] = [
  [
    'a claim that anybody gets',
    (store) => ({
      ...store,
      async claim(...wanted) {
        const claim = await store.claim(...wanted);
        return claim.outcome === 'held' ? { outcome: 'claimed', message: claim.message } : claim;
      },
    }),
    /hand-overs was doubled/,
  ],
  [
    'a key that a second request does not find',
    (store) => ({
      ...store,
      create: (message) => store.create({ ...message, message_id: `${message.message_id}-${++copies}` }),
    }),
    /became 2 messages/,
  ],
  [
    'a request without a key that is stored twice',
    (store) => ({
      ...store,
      async create(message) {
        const twice = message.request_hash === undefined;
        if (twice) await store.create({ ...message, message_id: `${message.message_id}-again` });
        return store.create(message);
      },
    }),
    /unkeyed-\d+ became \d+ messages/,
  ],
  [
    'a row that holds the code of its one-time password',
    (store) => ({
      ...store,
      create: (message) =>
        store.create({ ...message, text: message.text?.replace('{{code}}', '123456') ?? '' }),
    }),
    /is stored with its code/,
  ],
  [
    'an expiry that changes nothing',
    (store) => ({
      ...store,
      transition: async (id, change) => (change.to === 'expired' ? undefined : store.transition(id, change)),
    }),
    /is left/,
  ],
  [
    'a leg that never starts',
    (store) => ({ ...store, createLeg: async () => 'exists' }),
    /its next leg did not start/,
  ],
];

/** Each counts usage in a way that some fault of the run makes wrong. */
const brokenUsage: readonly [string, (counter: UsageCounter) => UsageCounter][] = [
  [
    'that forgets which records it has counted',
    (counter) => ({
      ...counter,
      counted: async (minute) => ({ ...(await counter.counted(minute)), ids: new Set() }),
    }),
  ],
  [
    'in which two workers write the same part',
    (counter) => ({
      ...counter,
      async count(minute, _part, ...written) {
        const { parts } = await counter.counted(minute);
        return counter.count(minute, parts, ...written);
      },
    }),
  ],
  [
    'that takes a canceled transaction for done',
    (counter) => ({
      ...counter,
      async count(...written) {
        await counter.count(...written);
        return true;
      },
    }),
  ],
  [
    'that writes the ids without the sums of a client',
    (counter) => ({
      ...counter,
      count: (minute, part, ids, additions) =>
        counter.count(
          minute,
          part,
          ids,
          additions.filter(({ clientId, amounts }) => clientId === '*' || amounts.size < 4),
        ),
    }),
  ],
];

describe('the run of messages through faults', () => {
  it('finds nothing wrong, with right clocks and with wrong ones, and the same for the same seed', async () => {
    expect((await runMessages(settings)).violations).toEqual([]);
    expect((await runMessages({ ...settings, skewMaxMs: 120_000 })).violations).toEqual([]);
    const first = await runMessages(small);
    expect(first.violations).toEqual([]);
    expect(await runMessages(small)).toEqual(first);
  });

  it.each(broken)('notices %s', async (_what, breakStore, noticed) => {
    expect(await violationsLike(noticed, () => ({ broken: breakStore }))).toMatch(noticed);
  });

  it('notices slots that two workers reserve at once', async () => {
    const senderPaces = (): SenderPaceStore => {
      const paces = memorySenderPaceStore();
      return {
        ...paces,
        replace: async (identity, _seen, slots) => paces.replace(identity, await paces.read(identity), slots),
      };
    };
    const noticed = /more than its pace/;
    const run = { ...settings, seed: 105 };
    expect(await violationsLike(noticed, () => ({ senderPaces: senderPaces() }), run)).toMatch(noticed);
  });

  it.each(brokenUsage)('notices counting %s', async (_what, breakCounter) => {
    const noticed = /usage of \S+ .* but the messages are/;
    expect(await violationsLike(noticed, () => ({ brokenUsage: breakCounter }))).toMatch(noticed);
  });
});
