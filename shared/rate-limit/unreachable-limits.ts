/** Finds limits that never take effect, because another window of the same endpoint is always full first. */
import type { Limits } from '../contract/routes.ts';
import { limitOf, windowNames, windowSeconds } from './windows.ts';

/** One sentence for each limit that is never reached, with the window that prevents it. */
export function unreachableLimits(limits: Limits): readonly string[] {
  return windowNames.flatMap((window) => {
    const limit = limitOf(limits, window);
    const prevented = windowNames
      .filter((other) => other !== window)
      // How many requests the other window admits during this one.
      .map((other) => {
        const times = Math.max(1, windowSeconds[window] / windowSeconds[other]);
        return { other, own: limitOf(limits, other), admitted: limitOf(limits, other) * times };
      })
      .filter(({ admitted }) => admitted < limit)
      .toSorted((one, next) => one.admitted - next.admitted)[0];
    if (prevented === undefined) return [];
    const { other, own, admitted } = prevented;
    const reason =
      windowSeconds[other] < windowSeconds[window]
        ? `allows only ${count(admitted)} per ${window}`
        : 'is used up first';
    return [
      `${count(limit)} per ${window} are never reached: the limit of ${count(own)} per ${other} ${reason}.`,
    ];
  });
}

const count = (value: number): string => value.toLocaleString('en');
