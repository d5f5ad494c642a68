import { describe, expect, it } from '@jest/globals';
import type { SenderPaceStore } from '../../../shared/message/pace/sender-pace-store.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { UsageCounter } from '../../../shared/usage/count-changes.ts';
import { memorySenderPaceStore } from '../../support/doubles/memory-sender-pace.ts';
import { type RunSettings, runMessages } from '../../support/message/message-run.ts';

/** `npm run test:faults` runs thousands of messages. */
const settings = { seed: 12, total: 60, skewMaxMs: 0 };
/** A small run may have no fault that a broken store makes worse; one of these has. */
const smallRuns = [8, 9, 10, 11, 12, 13].map((seed) => ({ ...settings, seed, total: 20 }));

/** What the first small run finds wrong that finds `wanted`, or all of them if none does. */
async function violationsLike(
  wanted: RegExp,
  broken: Pick<RunSettings, 'broken' | 'brokenUsage'>,
): Promise<string> {
  const found: string[] = [];
  for (const run of smallRuns) {
    found.push(...(await runMessages({ ...run, ...broken })).violations);
    if (wanted.test(found.join('\n'))) break;
  }
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
    const [small = settings] = smallRuns;
    const first = await runMessages(small);
    expect(first.violations).toEqual([]);
    expect(await runMessages(small)).toEqual(first);
  });

  it.each(broken)('notices %s', async (_what, breakStore, noticed) => {
    expect(await violationsLike(noticed, { broken: breakStore })).toMatch(noticed);
  });

  it('notices slots that two workers reserve at once', async () => {
    const paces = memorySenderPaceStore();
    const senderPaces: SenderPaceStore = {
      ...paces,
      replace: async (identity, _seen, slots) => paces.replace(identity, await paces.read(identity), slots),
    };
    const { violations } = await runMessages({ ...settings, seed: 14, total: 150, senderPaces });
    expect(violations.join('\n')).toMatch(/more than its pace/);
  });

  it.each(brokenUsage)('notices counting %s', async (_what, breakCounter) => {
    const noticed = /usage of \S+ .* but the messages are/;
    expect(await violationsLike(noticed, { brokenUsage: breakCounter })).toMatch(noticed);
  });
});
