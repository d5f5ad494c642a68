/** Resolves the host name of an endpoint. */
import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Resolve } from '../address-guard.ts';

/**
 * Sends DNS queries with a time limit, so that a slow name server delays only its own webhooks. `dns.lookup` would use four threads that the whole process shares: four names
 * with a silent server would stop every other webhook.
 */
export function dnsResolve({
  servers,
  timeoutMs = 1500,
  otherKindWaitMs = 200,
}: {
  /** Name servers to use instead of the machine's. */
  readonly servers?: readonly string[];
  /** The time limit of each of the two queries. */
  readonly timeoutMs?: number;
  /** How long to wait for the second kind of address (A or AAAA) after the first: some servers never respond for one. */
  readonly otherKindWaitMs?: number;
} = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2, maxTimeout: timeoutMs });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const found: Record<4 | 6, readonly string[]> = { 4: [], 6: [] };
    const lookups = [
      resolver.resolve4(hostname).then((addresses) => {
        found[4] = addresses;
      }),
      resolver.resolve6(hostname).then((addresses) => {
        found[6] = addresses;
      }),
    ];
    const wait = new AbortController();
    const oneKind = Promise.any(lookups).then(() =>
      sleep(otherKindWaitMs, undefined, { signal: wait.signal }),
    );
    // The error is thrown below if both lookups failed.
    await Promise.race([Promise.allSettled(lookups), oneKind.catch(() => undefined)]);
    wait.abort();
    const addresses = [...found[4], ...found[6]];
    if (addresses.length === 0) await Promise.all(lookups);
    return addresses;
  };
}

/** Resolves names like the machine, with its hosts file. For the local stage, whose endpoints run on this machine. */
export const machineResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
