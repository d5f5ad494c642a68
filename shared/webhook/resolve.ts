/** Looks names up so that a slow name server holds up nobody else's webhooks. */
import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './address-guard.ts';

/**
 * By DNS queries of their own time limit. `dns.lookup` would do it on four threads that the whole process shares:
 * four names with a silent server would stop every other webhook.
 */
export function dnsResolve(): Resolve {
  const resolver = new Resolver({ timeout: 1500, tries: 2, maxTimeout: 1500 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (found.length === 0 && failure !== undefined) throw failure.reason;
    return found;
  };
}

/** As the machine does it, its hosts file included: for the local stage, where receivers stand on it. */
export const machineResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
