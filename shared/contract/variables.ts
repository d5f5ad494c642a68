/**
 * The environment variables for settings, with their schemas. The variables for names of tables, queues and secrets are
 * derived from `uses.ts`. If a variable has the name of a stage setting, it contains the setting's value (`OPT_OUT_WORDS`
 * is `optOutWords`), and the setting uses the same schema (`lib/stages/stage-settings.ts`).
 */
import * as z from 'zod/mini';
import { carrierList } from './channels.ts';
import { stageCaps } from './rate-limits-and-caps.ts';

/** Larger networks are not allowed; even the largest proxies have smaller ones. */
const leastIpv4 = 8;
const leastIpv6 = 16;
/** `::/16` contains all IPv4 addresses in its last 32 bits, as `::ffff:192.0.2.1`. */
const leastOfIpv4InIpv6 = 96 + leastIpv4;

const prefixLength = (block: string): number => Number(block.split('/')[1]);

function leastPrefixLength(block: string): number {
  if (!block.includes(':')) return leastIpv4;
  // In a URL, the address has its shortest form.
  const { hostname } = new URL(`http://[${block.split('/')[0]}]`);
  return /^\[0?:/.test(hostname) ? leastOfIpv4InIpv6 : leastIpv6;
}

/** Returns the schema of the proxies that may name a caller's address. */
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
     * `X-Forwarded-For`, so the caller may have written the first address.
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

/** `wait` means: for a receipt, until the message's validity ends. */
const choice = z.enum(['send_again', 'wait']);

/** Returns the schema of the setting `onUnknown`, with a rule for each kind of message. */
export function onUnknownRules() {
  return z.strictObject({ otp: choice, promotional: choice, other: choice });
}

export type OnUnknownRules = Readonly<z.output<ReturnType<typeof onUnknownRules>>>;

export const usualOnUnknown = { otp: 'send_again', promotional: 'wait', other: 'wait' } as const;

/** Returns the schema of the seconds after an attempt at which `onUnknown` applies. */
export function unknownDeadlines() {
  const seconds = z.int().check(z.minimum(1), z.maximum(86_400));
  return z.strictObject({ otp: seconds, other: seconds });
}

/**
 * Returns the schema of the setting `otpHold`, which decides when one-time passwords are held (docs/decisions/otp-hold.md).
 */
function otpHoldRule() {
  return z.strictObject({
    /** With fewer passwords in an hour, they are never held. */
    minimumSends: z.int().check(z.minimum(10), z.maximum(1_000_000)),
    /** If a smaller share of the passwords was verified, they are held. */
    minimumShare: z.number().check(z.minimum(0), z.maximum(1)),
  });
}

export const usualUnknownDeadlines = { otp: 30, other: 300 } as const;

const text = z.string().check(z.minLength(1));
const wholeNumber = z.int().check(z.positive());

/** Each function needs only few of these, so larger schemas are `lazy`, which creates them on first use. */
export const variables = {
  GATEWAY_ACCOUNT: text,
  GATEWAY_PARTITION: text,

  /** The gateway's own URL. */
  TOKEN_ISSUER: text,
  TOKEN_AUDIENCE: text,

  /** The path of the price table, relative to the function's file (`prices.ts`). */
  PRICES_FILE: text,
  CURRENCY: text,
  /** The value of `SMS_ORIGINATION_IDENTITY` for functions that accept messages; absent if the carrier is simulated. */
  STAGE_SMS_SENDER: z.optional(text),

  // Settings of the stage, which `lib/stages/stage-settings.ts` explains.
  RETENTION_DAYS: wholeNumber,
  SMS_CARRIER: carrierList,
  WHATSAPP_CARRIER: carrierList,
  CARRIER_BASE_URLS: z.boolean(),
  ON_UNKNOWN: z.lazy(onUnknownRules),
  UNKNOWN_DEADLINE_SECONDS: z.lazy(unknownDeadlines),
  STAGE_CAPS: z.lazy(stageCaps),
  OTP_HOLD: z.lazy(otpHoldRule),
  SMS_ORIGINATION_IDENTITY: text,
  SMS_CONFIGURATION_SET: nameOnAws('letters, digits, _ and -, 64 at most'),
  WHATSAPP_PHONE_NUMBER_ID: z.lazy(() =>
    z.string().check(z.regex(/^phone-number-id-\w+$/, 'phone-number-id-… of AWS End User Messaging Social')),
  ),
  WHATSAPP_OTP_TEMPLATE: z.lazy(() =>
    z.optional(
      z
        .string()
        .check(z.regex(/^[a-z0-9_]{1,512}\/[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'a template, as name/en_GB')),
    ),
  ),
  TRUSTED_PROXIES: z.lazy(() => z.optional(trustedProxies())),
  COUNTRY: text,
  OPT_OUT_WORDS: z.lazy(() =>
    z.array(
      z
        .string()
        .check(
          z.maxLength(40),
          z.regex(/^[\p{L}\p{M}\p{N}]+( [\p{L}\p{M}\p{N}]+){0,2}$/u, 'one to three words'),
        ),
    ),
  ),
  ALLOWED_COUNTRIES: z.lazy(() => z.union([z.literal('all'), z.array(text).check(z.minLength(1))])),
  WEBHOOK_PORTS: z.lazy(() =>
    z.union([
      z.literal('any'),
      z.array(z.int().check(z.minimum(1), z.maximum(65_535))).check(z.minLength(1)),
    ]),
  ),
  WEBHOOK_ALLOW_HTTP: z.boolean(),
  WEBHOOK_ALLOW_LOOPBACK: z.boolean(),
  WEBHOOK_TIME_SCALE: wholeNumber,
  SCHEDULE_LEAD_SECONDS: z.int().check(z.nonnegative()),
} as const;

function nameOnAws(form: string) {
  return z.lazy(() => z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, form)));
}

export type VariableName = keyof typeof variables;
