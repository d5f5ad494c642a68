import { expect, it } from '@jest/globals';
import { decidedFaults, type FaultRates, keyOf } from '../../support/simulation/faults.ts';
import { randomOf } from '../../support/simulation/random.ts';

it('decides the same faults at the same points, also where some of them are left out', () => {
  const rates: FaultRates = { throttled: 0.3, 'dies after': 0.2 };
  const happened = (only?: ReadonlySet<string>) => {
    const faults = decidedFaults({ seed: 7, severity: 1, only });
    for (let i = 0; i < 100; i += 1) faults.decide(`call ${i % 5}`, rates, i);
    return faults.happened.map(keyOf);
  };
  const all = happened();
  expect(all.length).toBeGreaterThan(20);
  expect(happened()).toEqual(all);
  const kept = all.filter((_, i) => i % 2 === 0);
  expect(happened(new Set(kept))).toEqual(kept);
});

it('draws the same numbers for the same names', () => {
  const numbers = (name: string) => Array.from({ length: 5 }, randomOf(3, name));
  expect(numbers('one')).toEqual(numbers('one'));
  expect(numbers('one')).not.toEqual(numbers('other'));
});
