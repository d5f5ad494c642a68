/** The proxies in front of the API that are believed when they name the address of a caller. */
import * as z from 'zod/mini';

export function trustedProxies() {
  return z.strictObject({
    /** CIDR blocks. Nobody else may be able to send from these addresses. */
    addresses: z.array(z.union([z.cidrv4(), z.cidrv6()])).check(z.minLength(1)),
    /**
     * The header with the caller's address, which the proxies must replace. Proxies and API Gateway append to
     * `X-Forwarded-For`, so its first address, the only one that AWS WAF reads, can be one that the caller wrote.
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
