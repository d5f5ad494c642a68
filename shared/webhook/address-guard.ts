/**
 * Webhooks reach public addresses only. A URL is checked when a client sets it (`checkUrl`), and again when a
 * connection is made, on the addresses that are then used (`guardedLookup`), so changing the DNS records in between
 * (DNS rebinding) does not help an attacker.
 */
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod/mini';
import type { webhookRules } from '../contract/uses.ts';
import type { EnvironmentFor } from '../platform/env.ts';

export interface AddressRules {
  /**
   * Whether loopback addresses are permitted, and any host name, because it may resolve to one; for the local stage.
   */
  readonly allowLoopback: boolean;
  readonly allowHttp: boolean;
  readonly ports: 'any' | readonly number[];
}

type UrlVerdict =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly reason: string };

export const urlLengthMax = 2048;

/** Names of this machine or its network, by standard (RFC 6761, 6762, 8375, 9476) or by convention of cloud providers. */
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

/** Checks a URL without a DNS lookup. The reason is part of a sentence for the client. */
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
  if (ipaddr.isValid(host)) {
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

/** The host without the brackets of an IPv6 address and without final dots. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** Whether a connection may be made to this address. */
export function isAllowedAddress(text: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return false;
  if (rules.allowLoopback && ipaddr.process(text).range() === 'loopback') return true;
  // Mapped addresses (::ffff:a.b.c.d) are refused: they have no legitimate use in DNS.
  const asWritten = ipaddr.parse(text);
  return asWritten.range() === 'unicast' && (asWritten instanceof ipaddr.IPv4 || isGlobalIpv6(asWritten));
}

/**
 * Global IPv6 unicast is assigned from 2000::/3 only (RFC 4291, section 2.4), which excludes ::a.b.c.d and ranges that
 * are reserved later. An ISATAP address (RFC 5214) contains an IPv4 address after a valid prefix.
 */
function isGlobalIpv6(address: ipaddr.IPv6): boolean {
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const isatap = (fifth & 0xfdff) === 0 && sixth === 0x5efe;
  return first >> 13 === 1 && !isatap;
}

/** RFC 1035, section 2.3.4: labels of 1 to 63 bytes, 253 characters in all. No resolver asks for another name. */
function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/** A name under a private suffix, or without a dot: a resolver appends its own network's domain to the latter. */
function isPrivateName(name: string): boolean {
  const lower = name.toLowerCase();
  return !lower.includes('.') || privateSuffixes.some((suffix) => lower.endsWith(`.${suffix}`));
}

class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'EBLOCKED';
}

/** All addresses of a name, IPv4 and IPv6. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Makes the lookup for `net.connect`: it resolves once and passes on the checked addresses, so only these are connected to. One forbidden
 * address among several forbids the name: a mixture indicates an attack.
 */
export function guardedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const blocked = addresses.find((address) => !isAllowedAddress(address, rules));
        if (blocked !== undefined) {
          return callback(new BlockedAddressError(`${hostname} resolves to ${blocked}`), []);
        }
        const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        const [first] = found;
        if (first === undefined) {
          return callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), []);
        }
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

/** The addresses that this deployment may call. */
export function addressRules(env: EnvironmentFor<typeof webhookRules>): AddressRules {
  return {
    allowLoopback: env.WEBHOOK_ALLOW_LOOPBACK,
    allowHttp: env.WEBHOOK_ALLOW_HTTP,
    ports: env.WEBHOOK_PORTS,
  };
}

/** RFC 3986 has no spaces, control characters or backslashes; the parser drops or replaces them, and calls another URL. */
const outsideUrls = /[\p{Cc}\p{Z}\\]/u;

/** Accepts the URLs that this deployment may call, as they were written. */
export function webhookUrlSchema(rules: AddressRules): z.ZodMiniType<string> {
  return z.string().check(
    z.superRefine((text, context) => {
      const message = faultOf(text, rules);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  );
}

/** The form of a webhook URL in a request: it is refused at once where it could never be called (contract 7.10). */
export function webhookUrlFrom(env: EnvironmentFor<typeof webhookRules>): z.ZodMiniType<string> {
  return webhookUrlSchema(addressRules(env));
}

function faultOf(text: string, rules: AddressRules): string | undefined {
  if (outsideUrls.test(text)) return 'must have no spaces, control characters or backslashes';
  const verdict = checkUrl(text, rules);
  if (!verdict.allowed) return verdict.reason;
  return /^https?:\/\/[^/]/i.test(text) ? undefined : 'must have two slashes before its host';
}
