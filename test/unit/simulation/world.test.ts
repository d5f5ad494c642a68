/** What later tests rely on: the simulated world repeats, loses and kills, so that code which cannot bear it is noticed. */
import { describe, expect, it } from '@jest/globals';
import { ack } from '../../../shared/platform/process-queue-batch.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import type { Fault, Process } from '../../support/simulation/processes.ts';
import { usualFaults } from '../../support/simulation/usual-faults.ts';
import { simulatedWorld } from '../../support/simulation/world.ts';

const startAt = new Date('2026-11-20T10:00:00.000Z');
const record = { send: async (_body: string) => {} };

describe('a queue of the simulated world', () => {
  /** How often a message is received in ten minutes, with one fault at the first call of its worker. */
  async function receives(fault: Fault | undefined): Promise<number> {
    let received = 0;
    const world = simulatedWorld({ startAt, fault: (_call, index) => (index === 0 ? fault : undefined) });
    world.consume('jobs', { timeoutSeconds: 10, maxReceives: 5 }, async (process, body) => {
      received += 1;
      await world.processes.port(process, 'record', record).send(body);
      return ack;
    });
    world.put('jobs', 'one');
    await world.run(600);
    return received;
  }

  it.each<[number, Fault | undefined]>([
    [1, undefined],
    [1, 'double'],
    [2, 'fail_before'],
    [2, 'kill_before'],
    [2, 'kill_after'],
  ])('shows a message %d times if a call of its worker has the fault %s', async (times, fault) => {
    expect(await receives(fault)).toBe(times);
  });

  it('sets a message aside that was received too often', async () => {
    const world = simulatedWorld({ startAt });
    world.consume('jobs', { timeoutSeconds: 10, maxReceives: 5 }, async () => {
      throw new Error('never');
    });
    world.put('jobs', 'bad');
    await world.run(600);
    expect(world.deadLetters('jobs')).toEqual(['bad']);
  });

  it('does not let a worker finish after it has returned', async () => {
    const written: string[] = [];
    const world = simulatedWorld({ startAt });
    world.consume('jobs', { timeoutSeconds: 10, maxReceives: 5 }, async (process, body) => {
      void world.processes.call(process, 'write', async () => written.push(body));
      return ack;
    });
    world.put('jobs', 'one');
    await world.run(600);
    expect(written).toEqual([]);
  });
});

describe('a stream of the simulated world', () => {
  const items = Array.from({ length: 2000 }, (_, index) => `item-${index}`);

  /** What two consumers of a stream have counted after an hour of faults. */
  async function counted(count: (process: Process, items: readonly string[]) => Promise<unknown>, seed = 3) {
    const world = simulatedWorld({ ...usualFaults(randomFrom(seed), 0), startAt });
    const seen: string[] = [];
    const stream = world.stream<string>();
    stream.consume(30, (process, batch) =>
      world.processes.call(process, 'see', async () => void seen.push(...batch)),
    );
    stream.consume(30, (process, batch) =>
      world.processes.call(process, 'count', () => count(process, batch)),
    );
    for (const item of items) stream.put(item, item);
    await world.run(3600);
    return seen;
  }

  it('gives each consumer every item, some of them again', async () => {
    const other = new Set<string>();
    const seen = await counted(async (_process, batch) => {
      for (const item of batch) other.add(item);
    });
    expect([...new Set(seen)].toSorted()).toEqual(items.toSorted());
    expect([...other].toSorted()).toEqual(items.toSorted());
    expect(seen.length).toBeGreaterThan(items.length);
  });

  it('shows which count is exact: one that only adds is too high, one that knows its items is right', async () => {
    let added = 0;
    const known = new Set<string>();
    await counted(async (_process, batch) => {
      added += batch.length;
      for (const item of batch) known.add(item);
    });
    expect(added).toBeGreaterThan(items.length);
    expect(known.size).toBe(items.length);
  });
});
