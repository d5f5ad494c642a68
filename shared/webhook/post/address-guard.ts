/**
 * Webhooks reach public addresses only. A URL is judged twice: when a client gives it (`checkUrl`), and when a
 * connection is made, on the very addresses it is then made to (`guardedLookup`), so a name that changes its
 * mind in between, or has several addresses, gains nothing.
 */
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** For the local stage: this machine's loopback addresses, and any name, for it may stand for one of them. */
  readonly allowLoopback: boolean;
  readonly allowHttp: boolean;
  readonly ports: 'any' | readonly number[];
}

type UrlVerdict =
  | { readonly allowed: true; readonly url: URL }
  | { readonly allowed: false; readonly reason: string };

/** `WEBHOOK_PORTS` as rules have it. */
export function parsePorts(text: string): AddressRules['ports'] {
  return text === 'any' ? 'any' : text.split(',').map(Number);
}

const urlLengthMax = 2048;

/** Names that mean this machine or its network by standard (RFC 6761, 6762, 8375, 9476) or by cloud custom. */
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

/** What can be said of a URL without asking DNS. The reason is a sentence for the client. */
export function checkUrl(text: string, rules: AddressRules): UrlVerdict {
  if (text.length > urlLengthMax) return refused(`must be at most ${urlLengthMax} characters long`);
  // Parsed as browsers and Node do (WHATWG): decimal, octal, hex and full-width hosts come out as plain addresses.
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
  if (!rules.allowLoopback && isPrivateName(host)) {
    return refused('must name a host on the public internet');
  }
  return { allowed: true, url };
}

/** The port a URL means. */
function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host without the brackets of an IPv6 address and the final dots of a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** Whether a connection may be made to this address. */
export function isAllowedAddress(text: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return false;
  if (rules.allowLoopback && ipaddr.process(text).range() === 'loopback') return true;
  // Mapped addresses (::ffff:a.b.c.d) are not unwrapped: nobody has one of these in DNS for a good reason.
  const asWritten = ipaddr.parse(text);
  return asWritten.range() === 'unicast' && (asWritten instanceof ipaddr.IPv4 || isGlobalIpv6(asWritten));
}

/**
 * IPv6 unicast is given out from 2000::/3 alone (RFC 4291, section 2.4): this leaves out ::a.b.c.d, and whatever
 * range is reserved later. An ISATAP interface (RFC 5214) carries an IPv4 address inside a good prefix.
 */
function isGlobalIpv6(address: ipaddr.IPv6): boolean {
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const isatap = (fifth & 0xfdff) === 0 && sixth === 0x5efe;
  return first >> 13 === 1 && !isatap;
}

/** A name under a private suffix, or with no dot at all, which a resolver completes with its own network's domain. */
function isPrivateName(name: string): boolean {
  const lower = name.toLowerCase();
  return !lower.includes('.') || privateSuffixes.some((suffix) => lower.endsWith(`.${suffix}`));
}

/** Thrown into a connection that would have gone where none may go. */
class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'EBLOCKED';
}

/** All addresses of a name, IPv4 and IPv6. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * For `net.connect`: resolves once and hands on what it checked, so the address connected to is one that was judged.
 * One forbidden address among several forbids the name: a resolver that mixes them is at an attack.
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
