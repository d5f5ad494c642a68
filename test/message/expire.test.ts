/** A message that its table or its queue refuses for good holds up no other, and is not tried for ever. */
import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../shared/clock.ts';
import { expireOverdue } from '../../shared/message/expire.ts';
import type { MessageStore } from '../../shared/message/message-store.ts';
import type { RefusedWork } from '../../shared/set-aside/set-aside.ts';
import { aMessage, created } from '../support/a-webhook-message.ts';
import { memoryAgenda } from '../support/memory-agenda.ts';
import { memoryMessageStore } from '../support/memory-message-store.ts';
import { refusal } from '../support/strict-sqs.ts';

const expiresAt = addSeconds(created, 3600);
const ids = ['msg_bad', 'msg_good'];

async function world(refused: 'queue' | 'table') {
  const agenda = memoryAgenda();
  const store = memoryMessageStore();
  for (const message_id of ids) {
    const times = { created_at: created.toISOString(), queued_at: created.toISOString() };
    await store.create(
      aMessage({ message_id, status: 'queued', expires_at: expiresAt.toISOString(), ...times }),
    );
  }
  await agenda.add(
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
      agenda,
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
  return { agenda, store, setAside, queued, run };
}

describe('what is refused for good', () => {
  it('by the queue is set aside, tried each hour, and ended with the message', async () => {
    const { agenda, store, setAside, queued, run } = await world('queue');
    expect((await run(900)).failures).toEqual([]);
    expect(queued).toEqual(['msg_good']);
    expect(setAside.map(({ messageId }) => messageId)).toEqual(['msg_bad']);
    await run(1000);
    expect(setAside).toHaveLength(1);
    await run(3600);
    for (const id of ids) expect((await store.get(id))?.status).toBe('expired');
    expect(agenda.all()).toEqual([]);
  });

  it('by the table is set aside each hour for a day, under one entry of the Activity Log, and then left', async () => {
    const { agenda, store, setAside, run } = await world('table');
    for (let minute = 60; minute <= 60 + 26 * 60; minute += 10)
      expect((await run(minute * 60)).failures).toEqual([]);
    expect((await store.get('msg_good'))?.status).toBe('expired');
    expect(setAside.length).toBeGreaterThan(20);
    expect(setAside.length).toBeLessThan(28);
    expect(new Set(setAside.map(({ since }) => since.getTime())).size).toBe(1);
    expect(agenda.all()).toEqual([]);
  });
});
