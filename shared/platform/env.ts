/**
 * The environment variables of the functions, and what each may be. A function reads the variables it needs by name; a
 * missing or malformed one stops it at start-up. One with the name of a setting has its value (`OPT_OUT_WORDS` is
 * `optOutWords`), and the setting takes its schema from here: see `lib/stages/stage-settings.ts`.
 */
import * as z from 'zod/mini';
import { stageCaps } from '../contract/caps.ts';
import { otpHoldRule } from '../contract/otp-hold.ts';

const text = z.string().check(z.minLength(1));
const wholeNumber = z.int().check(z.positive());
const carrier = z.lazy(() => z.enum(['simulator', 'aws']));

/** A function needs few of these, so the larger schemas are `lazy`: created when they are first used. */
export const variables = {
  DUE_ITEMS_TABLE: text,
  CLIENTS_TABLE: text,
  CLIENT_SECRETS_TABLE: text,
  API_KEYS_TABLE: text,
  LIMIT_OVERRIDES_TABLE: text,
  SENDERS_TABLE: text,
  RATE_COUNTERS_TABLE: text,
  MESSAGES_TABLE: text,
  BATCHES_TABLE: text,
  ONE_TIME_PASSWORDS_TABLE: text,
  WEBHOOK_ENDPOINTS_TABLE: text,
  WEBHOOK_DELIVERIES_TABLE: text,
  ACTIVITY_LOG_TABLE: text,
  SIGNING_KEYS_TABLE: text,
  USAGE_TABLE: text,
  MESSAGE_USAGE_TABLE: text,
  COUNTED_CHANGES_TABLE: text,
  SENDER_PACE_TABLE: text,
  SIMULATOR_OUTBOX_TABLE: text,
  OTP_TRAFFIC_TABLE: text,
  OTP_HOLDS_TABLE: text,
  SUPPRESSIONS_TABLE: text,
  WHATSAPP_WINDOWS_TABLE: text,

  OTP_OUTBOUND_QUEUE_URL: text,
  OUTBOUND_QUEUE_URL: text,
  BULK_OUTBOUND_QUEUE_URL: text,
  RECEIPTS_QUEUE_URL: text,
  WEBHOOKS_QUEUE_URL: text,
  SLOW_WEBHOOKS_QUEUE_URL: text,
  RELAY_DEAD_LETTER_QUEUE_URL: text,

  /** The AWS account and partition of the gateway. */
  GATEWAY_ACCOUNT: text,
  GATEWAY_PARTITION: text,

  SCHEDULE_GROUP: text,
  SCHEDULE_ROLE_ARN: text,
  WEBHOOKS_QUEUE_ARN: text,
  SLOW_WEBHOOKS_QUEUE_ARN: text,

  TOKEN_SIGNING_KEY_ID: text,
  TOKEN_ISSUER: text,
  TOKEN_AUDIENCE: text,
  OTP_SECRET_ARN: text,

  /** The path of the price table, relative to the function's file: see `price-table.ts`. */
  PRICES_FILE: text,
  /** The currency of the prices, ISO 4217. */
  CURRENCY: text,
  /** `SMS_ORIGINATION_IDENTITY` for the functions that accept messages; absent where the simulator is the carrier. */
  STAGE_SMS_SENDER: z.optional(text),

  // Settings of the stage: `lib/stages/stage-settings.ts` says what each is for.
  LOG_LEVEL: z.lazy(() => z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])),
  RETENTION_DAYS: wholeNumber,
  SMS_CARRIER: carrier,
  WHATSAPP_CARRIER: carrier,
  STAGE_CAPS: z.lazy(stageCaps),
  OTP_HOLD: z.lazy(otpHoldRule),
  SMS_ORIGINATION_IDENTITY: text,
  SMS_CONFIGURATION_SET: nameOnAws('letters, digits, _ and -, 64 at most'),
  SMS_PROTECT_CONFIGURATION: z.optional(nameOnAws('the id, not the ARN, of a protect configuration')),
  SMS_OPT_OUT_LIST: nameOnAws('letters, digits, _ and -, 64 at most'),
  WHATSAPP_PHONE_NUMBER_ID: z.lazy(() =>
    z.string().check(z.regex(/^phone-number-id-\w+$/, 'phone-number-id-… of AWS End User Messaging Social')),
  ),
  META_API_VERSION: z.lazy(() =>
    z.string().check(z.regex(/^v\d+\.\d+$/, "a version of Meta's API, as v23.0")),
  ),
  WHATSAPP_OTP_TEMPLATE: z.lazy(() =>
    z.optional(
      z
        .string()
        .check(z.regex(/^[a-z0-9_]{1,512}\/[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'a template, as name/en_GB')),
    ),
  ),
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

export type EnvironmentName = keyof typeof variables;

/** The variables that decide which webhook URLs are allowed. */
export const webhookRuleNames = [
  'WEBHOOK_PORTS',
  'WEBHOOK_ALLOW_HTTP',
  'WEBHOOK_ALLOW_LOOPBACK',
] as const satisfies readonly EnvironmentName[];

export type Environment<Names extends EnvironmentName> = {
  readonly [Name in Names]: z.output<(typeof variables)[Name]>;
};

/** Variables as text: those of the process, or of a test. */
export type EnvironmentSource = Readonly<Record<string, string | undefined>>;

/**
 * Reads and parses the named variables.
 *
 * @throws Error that lists the missing and malformed variables, without their values.
 */
export function readEnvironment<Names extends EnvironmentName>(
  names: readonly Names[],
  source: EnvironmentSource = process.env,
): Environment<Names> {
  const faults: string[] = [];
  const values: Partial<Record<EnvironmentName, unknown>> = {};
  for (const name of names) {
    const parsed = variables[name].safeParse(fromText(variables[name], source[name]));
    if (parsed.success) values[name] = parsed.data;
    else faults.push(name);
  }
  if (faults.length > 0) throw new Error(`environment variables missing or malformed: ${faults.join(', ')}`);
  return values as Environment<Names>;
}

/** A value as the text of a variable: a text as it is, everything else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value of a text from `toText` or a command line: the text itself where the schema accepts it. */
export function fromText(schema: z.ZodMiniType, text: string | undefined): unknown {
  if (text === undefined || schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The service name in logs and metrics: the stack's name, which its alarms use too. */
export function serviceName(): string {
  return process.env.POWERTOOLS_SERVICE_NAME ?? 'messaging-gateway';
}

/** The X-Ray trace of this call, if it is sampled. */
export function sampledTraceId(): string | undefined {
  const header = process.env._X_AMZN_TRACE_ID ?? '';
  return header.includes('Sampled=1') ? /Root=([^;]+)/.exec(header)?.[1] : undefined;
}

/** The name of this Lambda function. */
export function lambdaFunctionName(): string {
  return process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local';
}
