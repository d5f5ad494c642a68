/** A message that its table or queue refuses permanently delays no other, and is not retried for ever. */
import { describe, expect, it } from '@jest/globals';
import type { StoredAttempt } from '../../../shared/message/attempt.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { withoutUndefined } from '../../../shared/platform/object-fields.ts';
import type { RefusedWork } from '../../../shared/recovery/set-aside.sqs.ts';
import { expireOverdue } from '../../../shared/relay/expire-messages.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const expiresAt = addSeconds(created, 3600);
const ids = ['msg_bad', 'msg_good'];

async function simulation(refused: 'queue' | 'table') {
  const { dueItemIndex, messages: store } = inMemoryStores();
  for (const message_id of ids) {
    const times = { created_at: created.toISOString(), queued_at: created.toISOString() };
    await store.create(
      aMessage({ message_id, status: 'queued', expires_at: expiresAt.toISOString(), ...times }),
    );
  }
  await dueItemIndex.add(
    'messages',
    ids.map((id) => ({ id, dueAt: created })),
  );
  const setAside: RefusedWork[] = [];
  const queued: string[] = [];
  const transition: MessageStore['transition'] = async (id, change) => {
    if (refused === 'table' && id === 'msg_bad') throw refusal('ValidationException');
    return store.transition(id, change);
  };
  let now = created;
  const run = (seconds: number) => {
    now = addSeconds(created, seconds);
    return expireOverdue({
      dueItemIndex,
      messages: { ...store, transition },
      outbound: {
        enqueue: async ([entry]) => {
          if (refused === 'queue' && entry?.messageId === 'msg_bad') throw refusal('InvalidMessageContents');
          queued.push(entry?.messageId ?? '');
        },
      },
      setAside: async (work) => void setAside.push(work),
      clock: () => now,
      budgetMs: 10_000,
    });
  };
  return { dueItemIndex, store, setAside, queued, run };
}

describe('work that is refused permanently', () => {
  it('by the queue is set aside, tried each hour, and ended with the message', async () => {
    const { dueItemIndex, store, setAside, queued, run } = await simulation('queue');
    expect((await run(900)).failures).toEqual([]);
    expect(queued).toEqual(['msg_good']);
    expect(setAside.map(({ messageId }) => messageId)).toEqual(['msg_bad']);
    await run(1000);
    expect(setAside).toHaveLength(1);
    await run(3600);
    for (const id of ids) expect((await store.get(id))?.status).toBe('expired');
    expect(dueItemIndex.all()).toEqual([]);
  });

  it('by the table is set aside each hour for a day, under one entry of the Activity Log, and then left', async () => {
    const { dueItemIndex, store, setAside, run } = await simulation('table');
    for (let minute = 60; minute <= 60 + 26 * 60; minute += 10)
      expect((await run(minute * 60)).failures).toEqual([]);
    expect((await store.get('msg_good'))?.status).toBe('expired');
    expect(setAside.length).toBeGreaterThan(20);
    expect(setAside.length).toBeLessThan(28);
    expect(new Set(setAside.map(({ since }) => since.getTime())).size).toBe(1);
    expect(dueItemIndex.all()).toEqual([]);
  });
});

describe('a message whose carrier can be asked', () => {
  const at = created.toISOString();
  const attempt = (number: number, carrier: string, outcome?: StoredAttempt['outcome']) => ({
    ...{ number, carrier, at, deadline: at },
    ...withoutUndefined({ outcome }),
  });

  it.each([
    ['sent', [attempt(1, 'twilio', 'accepted')]],
    ['sending', [attempt(1, 'twilio')]],
    // Its carrier is not that of the last attempt, which nobody can be asked about.
    ['sent', [attempt(1, 'twilio', 'unknown'), attempt(2, 'aws', 'accepted')]],
    ['sent', [attempt(1, 'infobip', 'unknown'), attempt(2, 'aws', 'refused')]],
    ['sending', [attempt(1, 'twilio', 'unknown'), attempt(2, 'aws')]],
  ] as const)(
    'and %s is queued for the question whenever a run comes after its end, and expires if no worker asks, as %j',
    async (status, attempts) => {
      const { dueItemIndex, store, queued, run } = await simulation('queue');
      const times = { created_at: at, queued_at: at, expires_at: expiresAt.toISOString() };
      await store.create(aMessage({ message_id: 'msg_sent', status, attempts: [...attempts], ...times }));
      await dueItemIndex.add('messages', [{ id: 'msg_sent', dueAt: expiresAt }]);
      // The run before came just before the end of the message, or one has failed.
      for (const seconds of [3599, 3661, 3700, 5000, 3600 + 86_399]) {
        const before = queued.length;
        await run(seconds);
        const asked = queued.slice(before).filter((id) => id === 'msg_sent');
        expect(asked).toHaveLength(seconds < 3600 ? 0 : 1);
        expect((await store.get('msg_sent'))?.status).toBe(status);
      }
      await run(3600 + 86_460);
      expect((await store.get('msg_sent'))?.status).toBe('expired');
    },
  );
});

it('a message that waits for a report longer than a queue message can wait is queued again at the end of the wait', async () => {
  const { dueItemIndex, store, queued, run } = await simulation('queue');
  const at = created.toISOString();
  const until = addSeconds(created, 3000).toISOString();
  const attempts = [{ number: 1, carrier: 'twilio', at, deadline: until }];
  const held = { status: 'sending', handover_until: until, attempts } as const;
  const times = { created_at: at, queued_at: at, expires_at: addSeconds(created, 9000).toISOString() };
  await store.create(aMessage({ message_id: 'msg_held', ...held, ...times }));
  await dueItemIndex.add('messages', [{ id: 'msg_held', dueAt: addSeconds(created, 900) }]);
  for (const seconds of [900, 2990, 3050]) await run(seconds);
  expect(queued).not.toContain('msg_held');
  await run(3061);
  expect(queued).toContain('msg_held');
});
