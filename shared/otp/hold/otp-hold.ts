/** A hold of one-time passwords by SMS: of one client to one country, until an administrator allows them. */
import * as z from 'zod/mini';
import { GatewayError, otpHeldText } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { CachedReader } from '../../platform/expiring-cache.ts';

const instant = z.iso.datetime();

const evidence = {
  client_id: z.string(),
  /** ISO 3166-1 alpha-2, or `ZZ`. */
  country: z.string(),
};

export const otpHoldRow = z.discriminatedUnion('state', [
  z.object({
    ...evidence,
    state: z.literal('held'),
    held_at: instant,
    /** The judged passwords: from when, how many, and how many of them were verified. */
    since: instant,
    sends: z.number(),
    verified: z.number(),
    threshold: z.number(),
    usual_share: z.nullable(z.number()),
  }),
  z.object({
    ...evidence,
    state: z.literal('allowed'),
    /** Only passwords that were created later are judged. */
    allowed_at: instant,
    allowed_by: z.string(),
    /** Never held again, until an administrator allows without this. */
    always: z._default(z.boolean(), false),
  }),
]);

export type OtpHoldState = z.output<typeof otpHoldRow>;
export type OtpHold = Extract<OtpHoldState, { readonly state: 'held' }>;
export type OtpAllowance = Extract<OtpHoldState, { readonly state: 'allowed' }>;

export type AssertNotHeld = (clientId: string, country: string) => Promise<void>;

/** In force this long after it is written or removed. A read takes half a read unit. */
export const rememberedSeconds = 20;
const rememberedClients = 2000;

/** @throws GatewayError `otp_held` */
export function holdCheck(
  holds: { heldCountries(clientId: string): Promise<readonly string[]> },
  clock: Clock,
): AssertNotHeld {
  const held = new CachedReader(
    (clientId) => holds.heldCountries(clientId),
    { maxAgeSeconds: rememberedSeconds, maxEntries: rememberedClients },
    clock,
  );
  return async (clientId, country) => {
    const countries = await held.get(clientId);
    if (countries?.includes(country) === true) throw new GatewayError('otp_held', otpHeldText(country));
  };
}
