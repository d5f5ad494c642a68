/** Retries work that failed or was only partly done. */

import { setTimeout as pause } from 'node:timers/promises';
import { standardError } from '../contract/errors.ts';
import type { Sleep } from './clock.ts';

/** @throws the error of the last attempt. */
export async function retry<T>(
  {
    delaysMs,
    sleep = pause,
    warn,
    isRetryable = () => true,
  }: {
    /** The delays before the retries, one for each retry. */
    readonly delaysMs: readonly number[];
    readonly sleep?: Sleep;
    /** Called with each error after which the work is retried. */
    readonly warn?: (error: unknown) => void;
    /** Returns false for an error that is thrown immediately. By default, every error is retried. */
    readonly isRetryable?: (error: unknown) => boolean;
  },
  work: () => Promise<T>,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      warn?.(error);
      if (delayMs > 0) await sleep(delayMs);
    }
  }
  return work();
}

/** More than the number of writers that can change one row at once. */
const conflictsMax = 40;

/**
 * Repeats a read, its change and a conditional write until no other write comes first, with growing random delays.
 *
 * @param attempt - returns false if another write came first
 * @throws GatewayError `concurrent_change`, or the given refusal, if another write comes first each time
 */
export async function retryConflicts<T>(
  attempt: () => Promise<T | false>,
  { refusal = () => standardError('concurrent_change'), sleep = pause as Sleep } = {},
): Promise<T> {
  for (let conflicts = 0; conflicts <= conflictsMax; conflicts += 1) {
    const result = await attempt();
    if (result !== false) return result;
    await sleep(Math.random() * Math.min(100, 5 * conflicts));
  }
  throw refusal();
}

const remainingRetries = 7;

class ItemsRemain extends Error {
  override readonly name = 'ItemsRemain';
}

/** Repeats the call with the items that were not done, with growing random delays. */
export async function retryRemaining<Item>(
  items: readonly Item[],
  call: (items: readonly Item[]) => Promise<readonly Item[]>,
): Promise<void> {
  let remaining = items;
  const delaysMs = Array.from({ length: remainingRetries }, (_, i) => 25 * 2 ** i * (0.5 + Math.random()));
  await retry({ delaysMs, isRetryable: (error) => error instanceof ItemsRemain }, async () => {
    remaining = await call(remaining);
    if (remaining.length > 0) {
      throw new ItemsRemain(`${remaining.length} of ${items.length} items are not done after all retries`);
    }
  });
}
