/** Looks names up so that a slow name server holds up nobody else's webhooks. */
import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Resolve } from './address-guard.ts';

interface DnsSettings {
  /** Other name servers than the machine's. */
  readonly servers?: readonly string[];
  /** Once a name has addresses of one kind, those of the other may take so long: some servers never answer for them. */
  readonly otherKindWaitMs?: number;
}

/**
 * By DNS queries of their own time limit. `dns.lookup` would do it on four threads that the whole process shares:
 * four names with a silent server would stop every other webhook.
 */
export function dnsResolve({ servers, otherKindWaitMs = 200 }: DnsSettings = {}): Resolve {
  const resolver = new Resolver({ timeout: 1500, tries: 2, maxTimeout: 1500 });
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
    const oneKind = Promise.any(lookups).then(() => sleep(otherKindWaitMs));
    // None at all: the lookups below say why.
    await Promise.race([Promise.allSettled(lookups), oneKind.catch(() => undefined)]);
    const addresses = [...found[4], ...found[6]];
    if (addresses.length === 0) await Promise.all(lookups);
    return addresses;
  };
}

/** As the machine does it, its hosts file included: for the local stage, where receivers stand on it. */
export const machineResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
