/**
 * The one place that reads the environment of a function, and the names under which the CDK app sets it.
 * A function asks for the variables it needs by name; a missing or malformed one stops it at start-up.
 */
import * as z from 'zod/mini';

const text = z.string().check(z.minLength(1));
const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((value) => value === 'true'),
);
const wholeNumber = z.coerce.number().check(z.int(), z.nonnegative());

/** Each function needs few of these, so what takes more than a line to check is `lazy`: made when it is read. */
const variables = {
  STAGE: text,
  LOG_LEVEL: z.lazy(() => z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])),

  DUE_ITEMS_TABLE: text,
  CLIENTS_TABLE: text,
  CLIENT_SECRETS_TABLE: text,
  API_KEYS_TABLE: text,
  LIMIT_OVERRIDES_TABLE: text,
  RATE_COUNTERS_TABLE: text,
  MESSAGES_TABLE: text,
  BATCHES_TABLE: text,
  ONE_TIME_PASSWORDS_TABLE: text,
  WEBHOOK_DELIVERIES_TABLE: text,
  ACTIVITY_LOG_TABLE: text,
  SIGNING_KEYS_TABLE: text,
  USAGE_TABLE: text,
  SIMULATOR_OUTBOX_TABLE: text,

  OUTBOUND_QUEUE_URL: text,
  RECEIPTS_QUEUE_URL: text,
  WEBHOOKS_QUEUE_URL: text,
  SLOW_WEBHOOKS_QUEUE_URL: text,
  RELAY_DEAD_LETTER_QUEUE_URL: text,

  SCHEDULE_GROUP: text,
  SCHEDULE_ROLE_ARN: text,
  WEBHOOKS_QUEUE_ARN: text,
  SLOW_WEBHOOKS_QUEUE_ARN: text,
  OUTBOUND_QUEUE_ARN: text,

  TOKEN_SIGNING_KEY_ID: text,
  TOKEN_ISSUER: text,
  TOKEN_AUDIENCE: text,
  OTP_SECRET_ARN: text,

  /** Retry delays are this many times shorter; 1 outside the local stage. */
  WEBHOOK_TIME_SCALE: z.lazy(() => z.pipe(wholeNumber, z.number().check(z.minimum(1)))),
  /** How long before its due time a schedule is aimed, in seconds: what the scheduler may be late. */
  SCHEDULE_LEAD_SECONDS: wholeNumber,
  /** Ports that a webhook URL may name, comma-separated; `any` in the local stage. */
  WEBHOOK_PORTS: z.lazy(() => z.string().check(z.regex(/^(any|\d+(,\d+)*)$/))),
  WEBHOOK_ALLOW_HTTP: flag,
  WEBHOOK_ALLOW_LOOPBACK: flag,

  SMS_CARRIER: z.lazy(() => z.enum(['simulator', 'aws'])),
  WHATSAPP_CARRIER: z.lazy(() => z.enum(['simulator', 'aws'])),
  /** The file that tells what messages are expected to cost, seen from the function's own: see `price-table.ts`. */
  PRICES_FILE: text,
  /** The number, sender id or pool from which an SMS goes that names no sender. */
  SMS_ORIGINATION_IDENTITY: text,
  SMS_CONFIGURATION_SET: text,
  /** `phone-number-id-…` of AWS End User Messaging Social. */
  WHATSAPP_PHONE_NUMBER_ID: text,
  META_API_VERSION: z.lazy(() => z.string().check(z.regex(/^v\d+\.\d+$/))),
  /** `name/language` of the approved authentication template that carries one-time passwords; none where absent. */
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
  /** Days for which a message and its deliveries are kept. */
  RETENTION_DAYS: wholeNumber,
} as const;

export type EnvironmentName = keyof typeof variables;

/** What a function must know in order to judge a webhook URL. */
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
 * The named variables, parsed.
 *
 * @throws Error that lists each missing or malformed variable, without its value.
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

/** Whose logs and metrics these are: the stack's name, under which its alarms look. */
export function serviceName(): string {
  return process.env.POWERTOOLS_SERVICE_NAME ?? 'messaging-gateway';
}

/** The trace that X-Ray keeps of this call, where it keeps one: Lambda names one for every call. */
export function sampledTraceId(): string | undefined {
  const header = process.env._X_AMZN_TRACE_ID ?? '';
  return header.includes('Sampled=1') ? /Root=([^;]+)/.exec(header)?.[1] : undefined;
}

/** The name under which Lambda knows the function that runs. */
export function lambdaFunctionName(): string {
  return process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local';
}
