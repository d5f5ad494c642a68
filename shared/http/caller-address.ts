/**
 * The address that a request counts against if no client is known: the source address, or the one that a trusted proxy
 * names. A header that a caller sends past the proxies, or that has no address, is never believed.
 */
import { BlockList, isIP } from 'node:net';
import type { TrustedProxies } from '../contract/trusted-proxies.ts';

export type CallerAddress = (sourceIp: string, headers: Readonly<Record<string, string>>) => string;

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** @returns the address of the caller of a request with this source address and these headers, whose names are in lower case */
export function callerAddress(proxies: TrustedProxies | undefined): CallerAddress {
  if (proxies === undefined) return (sourceIp) => sourceIp;
  const trusted = new BlockList();
  for (const block of proxies.addresses) {
    const [address = '', bits] = block.split('/');
    trusted.addSubnet(address, Number(bits), family(address));
  }
  const header = proxies.header.toLowerCase();
  return (sourceIp, headers) => {
    const named = headers[header]?.trim() ?? '';
    const isNamedByProxy = isIP(sourceIp) !== 0 && trusted.check(sourceIp, family(sourceIp));
    return isNamedByProxy && isIP(named) !== 0 ? named : sourceIp;
  };
}
