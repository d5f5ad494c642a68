import { describe, expect, it } from '@jest/globals';
import { memoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { everyFault, faults, walk } from '../support/webhook-faults.ts';

describe('a worker that dies, or an AWS call that fails, at any step', () => {
  it('loses nothing and doubles nothing but by a death in the POST: acknowledged at once', async () => {
    expect(await everyFault(memoryDeliveryStore, 0, 900)).toEqual([]);
  });

  it('loses nothing and doubles nothing but by a death in the POST: acknowledged by the last retry', async () => {
    expect(await everyFault(memoryDeliveryStore, 5, 40_000)).toEqual([]);
  });

  it('raises the alarm and writes one entry for a delivery that fails, wherever the worker dies', async () => {
    const undisturbed = await walk(memoryDeliveryStore(), 99, -1, 'kill_before', 40_000);
    const wrong: string[] = [];
    for (const [at, name] of undisturbed.calls.entries()) {
      if (name !== 'activity' && name !== 'replace') continue;
      for (const fault of faults) {
        const world = await walk(memoryDeliveryStore(), 99, at, fault, 40_000);
        const entries = [...world.activities.values()].filter(({ kind }) => kind === 'webhook_failed');
        if (entries.length !== 1 || world.alarms.length === 0) wrong.push(`${fault} of call ${at} (${name})`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
