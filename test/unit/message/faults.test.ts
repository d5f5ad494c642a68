import { describe, expect, it } from '@jest/globals';
import type { SenderPaceStore } from '../../../shared/message/pace/sender-pace-store.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { UsageCounter } from '../../../shared/usage/count-changes.ts';
import { memorySenderPaceStore } from '../../support/doubles/memory-sender-pace.ts';
import { runMessages } from '../../support/message/message-run.ts';

/** So many messages that the run notices each broken store; `npm run test:faults` runs thousands. */
const settings = { seed: 7, total: 60, skewMaxMs: 0 };

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
    const first = await runMessages(settings);
    expect(first.violations).toEqual([]);
    expect(await runMessages(settings)).toEqual(first);
    expect((await runMessages({ ...settings, skewMaxMs: 120_000 })).violations).toEqual([]);
  });

  it.each(broken)('notices %s', async (_what, breakStore, noticed) => {
    const { violations } = await runMessages({ ...settings, broken: breakStore });
    expect(violations.join('\n')).toMatch(noticed);
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
    const { violations } = await runMessages({ ...settings, brokenUsage: breakCounter });
    expect(violations.join('\n')).toMatch(/usage of \S+ .* but the messages are/);
  });
});
