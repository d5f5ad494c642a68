/** Rate counters in memory, under the condition of their table. */
import type { CountRequest, RateCounter } from '../../../shared/rate-limit/rate-counter.ts';
import { limitOf, perWindow, type WindowName, windowNames } from '../../../shared/rate-limit/windows.ts';

export function memoryRateCounter(): RateCounter {
  const rows = new Map<string, Map<string, number>>();
  return {
    async count({ counter, windows, limits, staleAttributes }: CountRequest) {
      const row = rows.get(counter) ?? new Map<string, number>();
      const countOf = (window: WindowName) => row.get(windows.attributes[window]) ?? 0;
      const admitted = windowNames.every((window) => countOf(window) < limitOf(limits, window));
      if (admitted) {
        for (const window of windowNames) row.set(windows.attributes[window], countOf(window) + 1);
        for (const attribute of staleAttributes) row.delete(attribute);
        rows.set(counter, row);
      }
      return { admitted, used: perWindow(countOf) };
    },
  };
}
