/**
 * Webhooks reach public addresses only. A URL is checked when a client sets it (`checkUrl`). `guardedLookup` checks the
 * resolved addresses for each connection, which prevents DNS rebinding.
 */
import { BlockList, isIP, type LookupFunction } from 'node:net';
import * as z from 'zod/mini';
import type { webhookRules } from '../contract/uses.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { lazily } from '../platform/expiring-cache.ts';

export interface AddressRules {
  /**
   * True on the local stage: permits loopback addresses, and any host name, because a host name may resolve to a loopback
   * address.
   */
  readonly allowLoopback: boolean;
  readonly allowHttp: boolean;
  readonly ports: 'any' | readonly number[];
}

type UrlVerdict =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly reason: string };

export const urlLengthMax = 2048;

/**
 * Host names within one machine or network, by standard (RFC 6761, 6762, 8375, 9476) or by convention of cloud providers.
 */
const privateSuffixes = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'corp',
  'home',
  'private',
  'test',
  'invalid',
  'onion',
];

/** Checks a URL without a DNS lookup. The returned reason completes a sentence that begins with the field's name. */
export function checkUrl(text: string, rules: AddressRules): UrlVerdict {
  if (text.length > urlLengthMax) return refused(`must have at most ${urlLengthMax} characters`);
  // The WHATWG parser turns decimal, octal, hexadecimal and full-width hosts into plain addresses.
  const url = URL.parse(text);
  if (url === null) return refused('must be an absolute URL');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp)) {
    return refused(rules.allowHttp ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  if (url.username !== '' || url.password !== '') return refused('must not hold a user name or a password');
  if (rules.ports !== 'any' && !rules.ports.includes(portOf(url))) {
    return refused(`must use port ${rules.ports.join(' or ')}`);
  }
  const host = hostOf(url);
  if (host === '') return refused('must name a host');
  if (isIP(host) !== 0) {
    return isAllowedAddress(host, rules)
      ? { allowed: true, url }
      : refused('must not point to a private or reserved address');
  }
  if (!isDnsName(host)) return refused('must name a host that can exist');
  if (!rules.allowLoopback && isPrivateName(host)) {
    return refused('must name a host on the public internet');
  }
  return { allowed: true, url };
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Returns the host without the brackets of an IPv6 address and without final dots. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** Returns a function that parses blocks such as `192.0.2.0/24` when it is first called. */
const blocks = (...texts: readonly string[]): (() => BlockList) =>
  lazily(() => {
    const list = new BlockList();
    for (const text of texts) {
      const [network = '', prefix] = text.split('/');
      list.addSubnet(network, Number(prefix), familyOf(network));
    }
    return list;
  });

const loopback = blocks('127.0.0.0/8', '::1/128');

/**
 * This block contains all global IPv6 unicast addresses (RFC 4291, section 2.4). Later reservations outside the block need
 * no entry here.
 */
const globalIpv6 = blocks('2000::/3');

/** The blocks in IANA's registries of special-purpose addresses; for IPv6, only blocks within `globalIpv6`. */
const reserved = blocks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
);

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

export function isAllowedAddress(text: string, rules: AddressRules): boolean {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (isIP(text) === 0 || text.includes('%')) return false;
  const family = familyOf(text);
  if (rules.allowLoopback && loopback().check(text, family)) return true;
  if (reserved().check(text, family)) return false;
  // Mapped addresses (`::ffff:a.b.c.d`) are refused, because DNS has no legitimate use for them.
  return family === 'ipv4' || (globalIpv6().check(text, family) && !isIsatap(text));
}

/** True for an ISATAP address (RFC 5214, section 6.1), which embeds an IPv4 address that may be private. */
function isIsatap(ipv6: string): boolean {
  // The URL parser converts an address to one form, with every group in hexadecimal.
  const [before = [], after = []] = new URL(`http://[${ipv6}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const [, , , , fifth = '', sixth] = [...before, ...zeros, ...after];
  return ['0', '200'].includes(fifth) && sixth === '5efe';
}

/** True for a valid DNS name: labels of 1 to 63 bytes, and 253 characters in all (RFC 1035, section 2.3.4). */
function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/**
 * True for a name under a private suffix, and for a name without a dot: a resolver appends the domain of its own network to
 * it.
 */
function isPrivateName(name: string): boolean {
  const lower = name.toLowerCase();
  return !lower.includes('.') || privateSuffixes.some((suffix) => lower.endsWith(`.${suffix}`));
}

/** Returns an error with a code, like a system error. */
export function codedError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Makes the lookup for `net.connect`. It resolves the name once and returns the checked addresses, so Node connects only to
 * these. If one address is forbidden, the name is refused, because a mixture of public and private addresses indicates an
 * attack.
 */
export function guardedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const blocked = addresses.find((address) => !isAllowedAddress(address, rules));
        if (blocked !== undefined)
          return callback(codedError(`${hostname} resolves to ${blocked}`, 'EBLOCKED'), []);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) return callback(codedError(`${hostname} has no address`, 'ENOTFOUND'), []);
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(asError(error), []),
    );
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function refused(reason: string): UrlVerdict {
  return { allowed: false, reason };
}

export function addressRules(env: EnvironmentFor<typeof webhookRules>): AddressRules {
  return {
    allowLoopback: env.WEBHOOK_ALLOW_LOOPBACK,
    allowHttp: env.WEBHOOK_ALLOW_HTTP,
    ports: env.WEBHOOK_PORTS,
  };
}

/**
 * URLs contain no spaces, control characters or backslashes (RFC 3986). The parser would drop or replace these characters,
 * and so change the URL.
 */
const outsideUrls = /[\p{Cc}\p{Z}\\]/u;

/** Returns the schema of the URLs that this deployment may call. It does not change their spelling. */
export function webhookUrlSchema(rules: AddressRules): z.ZodMiniType<string> {
  return z.string().check(
    z.superRefine((text, context) => {
      const message = faultOf(text, rules);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  );
}

/**
 * Returns the schema of a webhook URL in a request. A URL that the gateway may not call is rejected immediately (contract
 * 7.10).
 */
export function webhookUrlFrom(env: EnvironmentFor<typeof webhookRules>): z.ZodMiniType<string> {
  return webhookUrlSchema(addressRules(env));
}

function faultOf(text: string, rules: AddressRules): string | undefined {
  if (outsideUrls.test(text)) return 'must have no spaces, control characters or backslashes';
  const verdict = checkUrl(text, rules);
  if (!verdict.allowed) return verdict.reason;
  return /^https?:\/\/[^/]/i.test(text) ? undefined : 'must have two slashes before its host';
}
