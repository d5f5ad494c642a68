/** The API as callers reach it: its version, its address, and the proxies in front of it. */
import * as z from 'zod/mini';

/** The version of the gateway; a test compares it with package.json. */
export const version = '0.1.0';

/**
 * The placeholder for the gateway's own address in the API document, which is built before the address is known; describe-api
 * replaces it.
 */
export const baseUrlMarker = 'https://base-url.invalid';

/** The API's stage: the first part of the path, unless the gateway has its own domain name. */
export const apiStageName = 'live';

/** The networks of the largest proxies are smaller. */
const leastIpv4 = 8;
const leastIpv6 = 16;
/** The block of IPv6 in which all IPv4 addresses are again, as `::ffff:192.0.2.1`, is `::/16`; they are its last 32 bits. */
const leastOfIpv4InIpv6 = 96 + leastIpv4;

const prefixLength = (block: string): number => Number(block.split('/')[1]);

function leastPrefixLength(block: string): number {
  if (!block.includes(':')) return leastIpv4;
  // The address as a URL has it, which is its shortest form.
  const { hostname } = new URL(`http://[${block.split('/')[0]}]`);
  return /^\[0?:/.test(hostname) ? leastOfIpv4InIpv6 : leastIpv6;
}

/** Returns the schema of the proxies in front of the API that may name the address of a caller. */
export function trustedProxies() {
  return z.strictObject({
    /** CIDR blocks. Nobody but the proxy may be able to send from these addresses. */
    addresses: z
      .array(
        z
          .union([z.cidrv4(), z.cidrv6()])
          .check(
            z.refine(
              (block) => prefixLength(block) >= leastPrefixLength(block),
              `of /${leastIpv4} at least, or /${leastIpv6} for IPv6: every address in the block can claim to be any caller`,
            ),
          ),
      )
      .check(z.minLength(1)),
    /**
     * The header with the caller's address, which the proxies must replace. Proxies and API Gateway append to
     * `X-Forwarded-For`, so the caller may have written its first address, which is the only one that AWS WAF reads.
     */
    header: z.string().check(
      z.regex(/^[A-Za-z0-9-]{1,255}$/, 'the name of a header'),
      z.refine(
        (name) => !/^(x-forwarded-for|forwarded)$/i.test(name),
        'a header that the proxies replace, such as X-Real-IP; a caller can write into X-Forwarded-For',
      ),
    ),
  });
}

export type TrustedProxies = Readonly<z.output<ReturnType<typeof trustedProxies>>>;
