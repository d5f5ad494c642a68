/** Finds limits that never take effect, because another window of the same endpoint is always full first. */
import type { Limits } from '../contract/routes.ts';

const windows = [
  { limit: 'perMinute', name: 'minute', minutes: 1 },
  { limit: 'perHour', name: 'hour', minutes: 60 },
  { limit: 'perDay', name: 'day', minutes: 1440 },
] as const;

/** One sentence for each limit that is never reached, with the window that prevents it. */
export function unreachableLimits(limits: Limits): readonly string[] {
  return windows.flatMap((window) => {
    const limit = limits[window.limit];
    const prevented = windows
      .filter((other) => other !== window)
      // How many requests the other window admits during this one.
      .map((other) => {
        const times = Math.max(1, window.minutes / other.minutes);
        return { other, own: limits[other.limit], admitted: limits[other.limit] * times };
      })
      .filter(({ admitted }) => admitted < limit)
      .toSorted((one, next) => one.admitted - next.admitted)[0];
    if (prevented === undefined) return [];
    const { other, own, admitted } = prevented;
    const reason =
      other.minutes < window.minutes
        ? `allows only ${count(admitted)} per ${window.name}`
        : 'is used up first';
    return [
      `${count(limit)} per ${window.name} are never reached: the limit of ${count(own)} per ${other.name} ${reason}.`,
    ];
  });
}

const count = (value: number): string => value.toLocaleString('en');
