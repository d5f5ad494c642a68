/** Races on tables in memory: calls that end together. */
import type { AroundCall } from '../simulation/direct-database.ts';

/** Returns a function whose calls end together: none before so many have begun, and those after at once. */
export function barrier(calls: number): () => Promise<void> {
  let begun = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  return () => {
    begun += 1;
    if (begun >= calls) resolve();
    return promise;
  };
}

/** Lets the calls of the database that match end together. */
export function together(matches: (call: Parameters<AroundCall>[0]) => boolean, calls: number): AroundCall {
  const arrive = barrier(calls);
  return async (call, run) => {
    const output = run();
    if (matches(call)) await arrive();
    return output;
  };
}
