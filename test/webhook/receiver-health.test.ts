import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../shared/clock.ts';
import { dynamoReceiverStore } from '../../shared/webhook/receiver-health.dynamo.ts';
import { type Receiver, type ReceiverStore, receiverHealth } from '../../shared/webhook/receiver-health.ts';
import { created as now } from '../support/a-webhook-message.ts';
import { memoryReceiverStore } from '../support/memory-receiver-store.ts';
import { createTables, type TestTables } from '../support/tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['webhook_deliveries']);
});
afterAll(() => tables.drop());

let receivers = 0;
function aReceiver(): Receiver {
  receivers += 1;
  return { clientId: `client-${receivers}`, origin: 'https://receiver.example.com' };
}

describe.each<[string, () => ReceiverStore]>([
  ['in memory', memoryReceiverStore],
  ['in the table', () => dynamoReceiverStore(tables.dynamo, tables.names.webhook_deliveries)],
])('what is known of receivers, %s', (_where, newStore) => {
  it('is nothing at first', async () => {
    const health = receiverHealth(newStore());
    expect(await health.standing(aReceiver(), now)).toBe('unproven');
  });

  it('is told to every other worker at once of one that is new, and within a second of one that was quick', async () => {
    const store = newStore();
    const [one, other] = [receiverHealth(store), receiverHealth(store)];
    const receiver = aReceiver();
    await one.noteQuick(receiver, now, 40);
    expect(await other.standing(receiver, now)).toBe('quick');
    await one.noteHanging(receiver, now);
    expect(await one.standing(receiver, now)).toBe('slow');
    expect(await other.standing(receiver, addSeconds(now, 1))).toBe('slow');
  });

  it('is slow while it hesitates, and quick again with its answer; from then on it is given a second', async () => {
    const store = newStore();
    const [one, other] = [receiverHealth(store), receiverHealth(store)];
    const receiver = aReceiver();
    await one.noteQuick(receiver, now, 40);
    expect(await other.standing(receiver, now)).toBe('quick');
    expect(other.patienceMs(receiver, now)).toBe(300);
    await one.noteHesitating(receiver, now);
    expect(await other.standing(receiver, addSeconds(now, 0.3))).toBe('slow');
    await one.noteQuick(receiver, addSeconds(now, 0.4), 700);
    expect(await other.standing(receiver, addSeconds(now, 0.6))).toBe('quick');
    expect(other.patienceMs(receiver, addSeconds(now, 0.6))).toBe(1000);
  });

  it('is forgotten of one that hesitated once no POST can still be under way', async () => {
    const health = receiverHealth(newStore());
    const receiver = aReceiver();
    await health.noteHesitating(receiver, now);
    expect(await health.standing(receiver, addSeconds(now, 5.9))).toBe('slow');
    expect(await health.standing(receiver, addSeconds(now, 6))).toBe('unproven');
  });

  it('stays that it hung, whatever others see it hesitate meanwhile', async () => {
    const store = newStore();
    const [one, other] = [receiverHealth(store), receiverHealth(store)];
    const receiver = aReceiver();
    await one.noteHanging(receiver, now);
    await other.noteHesitating(receiver, now);
    await other.noteQuick(receiver, addSeconds(now, 1), 40);
    expect(await receiverHealth(store).standing(receiver, addSeconds(now, 7))).toBe('slow');
  });

  it('is of one client alone: what one receiver does to it moves no other client to the slow lane', async () => {
    const health = receiverHealth(newStore());
    const receiver = aReceiver();
    await health.noteHanging(receiver, now);
    expect(await health.standing({ ...receiver, clientId: 'another' }, now)).toBe('unproven');
  });

  it('changes to quick by a quick answer 20 s after the last that hung, given to whichever worker', async () => {
    const store = newStore();
    const [fast, slow] = [receiverHealth(store), receiverHealth(store)];
    const receiver = aReceiver();
    await fast.noteHanging(receiver, now);
    await slow.noteQuick(receiver, addSeconds(now, 19), 40);
    expect(await fast.standing(receiver, addSeconds(now, 19))).toBe('slow');
    await slow.noteQuick(receiver, addSeconds(now, 20), 40);
    expect(await fast.standing(receiver, addSeconds(now, 20))).toBe('quick');
  });

  it('is forgotten after ten minutes of one that hung, after half an hour of one that was quick', async () => {
    const health = receiverHealth(newStore());
    const [hung, quick] = [aReceiver(), aReceiver()];
    await health.noteHanging(hung, now);
    await health.noteQuick(quick, now, 40);
    expect(await health.standing(hung, addSeconds(now, 599))).toBe('slow');
    expect(await health.standing(hung, addSeconds(now, 600))).toBe('unproven');
    expect(await health.standing(quick, addSeconds(now, 1799))).toBe('quick');
    expect(await health.standing(quick, addSeconds(now, 1800))).toBe('unproven');
  });

  it('gives a probe to one of many workers, and to the next once it is given back', async () => {
    const health = receiverHealth(newStore());
    const receiver = aReceiver();
    const probes = await Promise.all(
      Array.from({ length: 10 }, (_, i) => health.takeProbe(receiver, `worker ${i}`, now)),
    );
    const [mine] = probes.filter(({ taken }) => taken);
    expect(probes.filter(({ taken }) => taken)).toHaveLength(1);
    expect(await health.takeProbe(receiver, 'later', addSeconds(now, 1))).toEqual({
      taken: false,
      since: now,
    });
    if (mine !== undefined) await health.giveBack(mine);
    expect((await health.takeProbe(receiver, 'later', addSeconds(now, 1))).taken).toBe(true);
  });

  it('lets the probe of a worker that died go to another after ten seconds, and not be given back by the first', async () => {
    const health = receiverHealth(newStore());
    const receiver = aReceiver();
    const first = await health.takeProbe(receiver, 'dead', now);
    expect((await health.takeProbe(receiver, 'second', addSeconds(now, 9))).taken).toBe(false);
    expect((await health.takeProbe(receiver, 'second', addSeconds(now, 10))).taken).toBe(true);
    await health.giveBack(first);
    expect((await health.takeProbe(receiver, 'third', addSeconds(now, 11))).taken).toBe(false);
  });

  it('has four probes of a client under way at most, however many receivers it names', async () => {
    const health = receiverHealth(newStore());
    const { clientId } = aReceiver();
    const probes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        health.takeProbe({ clientId, origin: `https://r${i}.example.com` }, `worker ${i}`, now),
      ),
    );
    expect(probes.filter(({ taken }) => taken)).toHaveLength(4);
  });
});

function countingStore(): { store: ReceiverStore; writes: () => number } {
  let writes = 0;
  const store = memoryReceiverStore();
  return {
    writes: () => writes,
    store: {
      ...store,
      setSlow: (...given) => {
        writes += 1;
        return store.setSlow(...given);
      },
      setHesitating: (...given) => {
        writes += 1;
        return store.setHesitating(...given);
      },
      setQuick: (...given) => {
        writes += 1;
        return store.setQuick(...given);
      },
    },
  };
}

it.each([40, 700])(
  'costs a receiver that answers in %d ms no more than a write each quarter of an hour',
  async (tookMs) => {
    const { store, writes } = countingStore();
    const health = receiverHealth(store);
    const receiver = aReceiver();
    for (let seconds = 0; seconds <= 901; seconds += 1) {
      await health.standing(receiver, addSeconds(now, seconds));
      await health.noteQuick(receiver, addSeconds(now, seconds + tookMs / 1000), tookMs);
    }
    expect(writes()).toBe(2);
  },
);

it('costs a receiver that hangs a write in five seconds, not one for each POST', async () => {
  const { store, writes } = countingStore();
  const health = receiverHealth(store);
  const receiver = aReceiver();
  for (let tenth = 0; tenth < 100; tenth += 1)
    await health.noteHanging(receiver, addSeconds(now, tenth / 10));
  expect(writes()).toBe(2);
});
