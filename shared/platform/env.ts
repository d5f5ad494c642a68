/**
 * The environment variables of the functions: their names, which the CDK app uses too, and their formats.
 * A function reads the variables it needs by name; a missing or malformed one stops it at start-up.
 */
import * as z from 'zod/mini';
import { stageCaps } from '../contract/caps.ts';
import { otpHoldRule } from '../contract/otp-hold.ts';

const text = z.string().check(z.minLength(1));
const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((value) => value === 'true'),
);
/** A value as JSON; a text that is no JSON is undefined, which no schema accepts. */
function json<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(z.pipe(text, z.transform(parsedJson)), schema);
}
const wholeNumber = z.coerce.number().check(z.int(), z.nonnegative());

/** A function needs few of these, so the larger schemas are `lazy`: created when they are first used. */
const variables = {
  LOG_LEVEL: z.lazy(() => z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])),

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
  OTP_OUTBOUND_QUEUE_ARN: text,
  OUTBOUND_QUEUE_ARN: text,
  BULK_OUTBOUND_QUEUE_ARN: text,

  TOKEN_SIGNING_KEY_ID: text,
  TOKEN_ISSUER: text,
  TOKEN_AUDIENCE: text,
  OTP_SECRET_ARN: text,

  /** Divides the retry delays; 1 outside the local stage. */
  WEBHOOK_TIME_SCALE: z.lazy(() => z.pipe(wholeNumber, z.number().check(z.minimum(1)))),
  /** How many seconds before its due time a schedule is set, because the scheduler may be that late. */
  SCHEDULE_LEAD_SECONDS: wholeNumber,
  /** The ports that a webhook URL may have, comma-separated; `any` in the local stage. */
  WEBHOOK_PORTS: z.lazy(() => z.string().check(z.regex(/^(any|\d+(,\d+)*)$/))),
  WEBHOOK_ALLOW_HTTP: flag,
  WEBHOOK_ALLOW_LOOPBACK: flag,

  SMS_CARRIER: z.lazy(() => z.enum(['simulator', 'aws'])),
  WHATSAPP_CARRIER: z.lazy(() => z.enum(['simulator', 'aws'])),
  /** The stage's caps for all clients, as JSON. */
  STAGE_CAPS: z.lazy(() => json(stageCaps())),
  /** When one-time passwords are held, as JSON. */
  OTP_HOLD: z.lazy(() => json(otpHoldRule())),
  /** The path of the price table, relative to the function's file: see `price-table.ts`. */
  PRICES_FILE: text,
  /** Of the prices, ISO 4217. */
  CURRENCY: text,
  /** Of numbers that people write without a country code in a search, ISO 3166-1 alpha-2. */
  COUNTRY: text,
  /** The countries that clients without a list of their own may send to, comma-separated; undefined for `all`. */
  ALLOWED_COUNTRIES: z.lazy(() =>
    z.pipe(
      z.string().check(z.regex(/^(all|[A-Z]{2}(,[A-Z]{2})*)$/)),
      z.transform((value): readonly string[] | undefined => (value === 'all' ? undefined : value.split(','))),
    ),
  ),
  /** The number, sender id or pool for an SMS that names no sender. */
  SMS_ORIGINATION_IDENTITY: text,
  /** The same for the functions that accept messages; absent where the simulator is the carrier. */
  STAGE_SMS_SENDER: z.optional(text),
  SMS_OPT_OUT_LIST: text,
  SMS_CONFIGURATION_SET: text,
  /** The id of the protect configuration; optional. */
  SMS_PROTECT_CONFIGURATION: z.optional(text),
  /** `phone-number-id-…` of AWS End User Messaging Social. */
  WHATSAPP_PHONE_NUMBER_ID: text,
  META_API_VERSION: z.lazy(() => z.string().check(z.regex(/^v\d+\.\d+$/))),
  /** `name/language` of the approved authentication template for one-time passwords; optional. */
  WHATSAPP_OTP_TEMPLATE: z.lazy(() =>
    z.optional(
      z.pipe(
        z.string().check(z.regex(/^[a-z0-9_]{1,512}\/[a-z]{2,3}(_[A-Za-z]{2,4})?$/)),
        z.transform((value) => {
          const [name = '', language = ''] = value.split('/');
          return { name, language };
        }),
      ),
    ),
  ),
  /** Words with which a person opts out beside the usual ones, as a JSON list. */
  OPT_OUT_WORDS: z.lazy(() => json(z.array(z.string()))),
  /** How many days a message and its deliveries are stored. */
  RETENTION_DAYS: wholeNumber,
} as const;

function parsedJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
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
    const parsed = variables[name].safeParse(source[name]);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(name);
  }
  if (faults.length > 0) throw new Error(`environment variables missing or malformed: ${faults.join(', ')}`);
  return values as Environment<Names>;
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
