/**
 * The settings of a stage, and their validation. `-c field=value` changes one for a deploy.
 */
import { isSupportedCountry } from 'libphonenumber-js/min';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { stageCaps } from '../../shared/contract/caps.ts';
import { otpHoldRule } from '../../shared/contract/otp-hold.ts';
import { priceTable } from '../../shared/contract/price-table.ts';

/** Error texts: zod/mini has none by default. */
z.config(en());

const wholeNumber = z.int().check(z.positive());
const carrier = z.enum(['simulator', 'aws']);
/** Of an SQS event source. */
const queueConcurrency = z.int().check(z.minimum(2), z.maximum(1000));

/**
 * Limited by the name of the schedule group: 64 characters, of which 13 are a dash and part of the stack's id. Other
 * names that begin with the stack's may be longer (configuration set 64, web ACL metric 128, table 255).
 */
export const stackNameMaximum = 51;

const settings = z.strictObject({
  name: z.string(),
  /** Every name begins with it, so that an account can have several gateways. */
  stackName: z
    .string()
    .check(
      z.regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'letters, digits and dashes'),
      z.maxLength(stackNameMaximum, `${stackNameMaximum} characters at most`),
    ),
  /** The region; by default that of the AWS profile. */
  region: z.optional(z.string().check(z.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region, as eu-west-1'))),

  /** Whether tables, keys and logs are kept when the stack is deleted. */
  keepData: z.boolean(),
  /** Whether CloudFormation refuses to delete the stack until a deploy turns this off. */
  terminationProtection: z.boolean(),
  /** Days for which logs are kept. */
  logRetentionDays: z.union([z.literal(7), z.literal(30), z.literal(90), z.literal(365)]),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  /** Days for which messages and webhook deliveries are kept. */
  retentionDays: wholeNumber,
  /** X-Ray traces of every function and of the API; each trace is charged. */
  tracing: z.boolean(),
  /** API Gateway's access log, which has requests that reach no function; it needs the account's API Gateway log role. */
  apiAccessLogs: z.boolean(),

  /** `simulator` sends no real messages, and costs nothing. */
  smsCarrier: carrier,
  whatsappCarrier: carrier,
  /** The estimated price of a message by country, until the carrier reports the real one. */
  prices: z.strictObject(priceTable().shape),
  /**
   * Caps for all clients on recipients and on estimated cost, in the currency of `prices`; a row of `limit-overrides`
   * replaces them for its clients, window by window. A client with a cap can send about 1,000 requests a second.
   */
  caps: stageCaps(),
  /** When one-time passwords of a client to a country are held for an administrator (docs/decisions/otp-hold.md). */
  otpHold: otpHoldRule(),
  /** The number, sender id or pool set up in AWS End User Messaging; empty with the simulator. */
  smsOriginationIdentity: z.string(),
  /** The name of the configuration set for SMS receipts, which the deploy creates; by default the stack's name. */
  smsConfigurationSet: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -, 64 at most')),
  ),
  /**
   * The id of a protect configuration of AWS End User Messaging, created by hand: the countries that AWS itself allows or
   * blocks. Without it that of the configuration set or of the account is in force.
   */
  smsProtectConfigurationId: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'the id, not the ARN, of a protect configuration')),
  ),
  /** The opt-out list of the numbers and pools in AWS End User Messaging, with which suppressions are compared. */
  smsOptOutList: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -, 64 at most')),
  whatsappPhoneNumberId: z.string(),
  metaApiVersion: z.string().check(z.regex(/^v\d+\.\d+$/, "a version of Meta's API, as v23.0")),
  /** `name/language` of the approved authentication template for one-time passwords; without it they are sent as text. */
  whatsappOtpTemplate: z.optional(z.string()),

  /** The country of numbers that administrators write without a country code, as `07700 900123`, in a search. */
  country: z.string().check(z.refine(isSupportedCountry, 'a two-letter country code such as GB')),
  /** Words with which a person opts out, beside STOP and its like: those of the languages of the recipients. */
  optOutWords: z.array(z.string().check(z.regex(/^[\p{L}\p{M}\p{N}]{1,20}$/u, 'one word'))),

  /** The only countries that clients without a list of their own may send to; a new client gets this list. */
  allowedCountries: z.union([
    z.literal('all'),
    z
      .array(z.string().check(z.refine(isSupportedCountry, 'two-letter country codes such as GB')))
      .check(z.minLength(1)),
  ]),

  /** Where the API is called, if that is neither its domain name nor API Gateway's own: a proxy in front of it. */
  publicUrl: z.optional(
    z.url({ protocol: /^https?$/ }).check(z.regex(/[^/]$/, 'without a slash at its end')),
  ),
  /** The API's domain name; its certificate is in the same region. Without a zone, the DNS record is created by hand. */
  customDomain: z.optional(
    z.strictObject({
      name: z.hostname(),
      certificateArn: z.string().check(z.startsWith('arn:')),
      hostedZone: z.optional(z.strictObject({ id: z.string(), name: z.hostname() })),
    }),
  ),
  /** A web ACL that blocks known bad addresses and inputs. */
  webAcl: z.boolean(),
  /** Requests of one source address in five minutes above which the web ACL blocks. */
  webAclRequestsPerAddress: z.int().check(z.minimum(10), z.maximum(2_000_000_000)),
  /** Above it API Gateway responds with 429; an account's own limit is 10,000 a second. */
  apiThrottle: z.strictObject({ requestsPerSecond: wholeNumber, burst: wholeNumber }),
  /** How many batches of each queue are processed at once: limited by what a carrier or the endpoints can handle. */
  concurrency: z.strictObject({
    otpSends: queueConcurrency,
    singleSends: queueConcurrency,
    bulkSends: queueConcurrency,
    receipts: queueConcurrency,
    webhooks: queueConcurrency,
    slowWebhooks: queueConcurrency,
  }),
  /**
   * Provisioned read and write units a second, between which the tables that every message uses are scaled. For steady
   * traffic: less than half the price of on-demand capacity, but throttled for minutes when traffic suddenly doubles.
   */
  provisionedCapacity: z.optional(
    z
      .strictObject({ min: wholeNumber, max: z.int().check(z.positive(), z.maximum(40_000)) })
      .check(z.refine(({ min, max }) => min <= max, 'min must not be above max')),
  ),
  /** Reserved concurrency by function, such as `{"send-sms": 200}`. */
  reservedConcurrency: z.record(z.string(), z.int().check(z.nonnegative())),

  /** The address that alarms notify; without one they only change their state. */
  alarmEmail: z.optional(z.email()),
  /** The address of docs/operate.md, whose runbooks alarms link to. */
  docsUrl: z.string().check(z.minLength(1)),
  /** An alarm goes off when a day's messages cost more than this, in the currency of `prices`. */
  spendAlarmPerDay: z.number().check(z.positive()),
  /** New code gets a tenth of the calls for five minutes, and is rolled back when an alarm goes off. */
  canary: z.boolean(),
  /** Permits a deploy while an alarm is on, which CodeDeploy otherwise refuses: for the deploy that fixes the cause. */
  ignoreAlarmConfiguration: z.boolean(),
  /** The keys that may sign tokens; the last one does. Two during a rotation. */
  tokenKeyGenerations: z.array(wholeNumber).check(z.minLength(1), z.maxLength(2)),

  /** Ports that a webhook URL may have; `any` only for endpoints on the same machine as the gateway. */
  webhookPorts: z.union([
    z.literal('any'),
    z.array(z.int().check(z.minimum(1), z.maximum(65_535))).check(z.minLength(1)),
  ]),
  webhookAllowHttp: z.boolean(),
  /** Permits endpoints on loopback addresses: never on AWS, where these are Lambda's own. */
  webhookAllowLoopback: z.boolean(),
  /** Retry delays are divided by this, to try all five out locally; 1 on AWS. */
  webhookTimeScale: wholeNumber,
  /** How many seconds early a schedule is set: it may fire up to a minute late on AWS, 10 s on the emulator. */
  scheduleLeadSeconds: z.int().check(z.nonnegative()),

  /** Queue policies that require TLS; not for the emulator, which enforces them but serves only http. */
  enforceSslOnQueues: z.boolean(),
  /** The emulator's bootstrap role cannot access its bucket, so the local deploy uses the caller's credentials. */
  deployWithCallerCredentials: z.boolean(),
  /** The emulator requires `sqs:SendMessageBatch`; on AWS this is `sqs:SendMessage`. */
  grantSendMessageBatch: z.boolean(),
  /** Alarms on metric expressions, which the emulator does not support. */
  alarmsOnExpressions: z.boolean(),
  /** The emulator checks CreateSchedule against `schedule/default/<name>` for every group. */
  grantDefaultScheduleGroup: z.boolean(),
  /** Permission to assume clients' roles only with an external id; the emulator does not know it in a role's own policy. */
  grantWithExternalIdOnly: z.boolean(),
});

export type StageSettings = Readonly<z.output<typeof settings>>;

/** By default one for each gateway of an account. */
export function smsConfigurationSet(stage: StageSettings): string {
  return stage.smsConfigurationSet ?? stage.stackName;
}

/** Rules that involve several settings. */
const checked = settings.check(
  z.superRefine((stage, context) => {
    const demand = (holds: boolean, field: keyof StageSettings, message: string): void => {
      if (!holds) context.addIssue({ code: 'custom', path: [field], message });
    };
    const { smsCarrier, whatsappCarrier } = stage;
    demand(
      smsCarrier !== 'aws' || stage.smsOriginationIdentity !== '',
      'smsOriginationIdentity',
      'the number, sender id or pool that messages go from, where smsCarrier is aws',
    );
    demand(
      whatsappCarrier !== 'aws' || /^phone-number-id-\w+$/.test(stage.whatsappPhoneNumberId),
      'whatsappPhoneNumberId',
      'phone-number-id-… of AWS End User Messaging Social, where whatsappCarrier is aws',
    );
    demand(
      stage.name === 'local' || !stage.webhookAllowLoopback,
      'webhookAllowLoopback',
      "only the local stage may call loopback addresses: on AWS they are Lambda's own",
    );
    demand(
      new Set(stage.tokenKeyGenerations).size === stage.tokenKeyGenerations.length,
      'tokenKeyGenerations',
      'the same generation twice',
    );
  }),
);

/** The CDK's own context entries have one of these in their names. */
const cdkEntry = /[:/@]/;

/**
 * The stage with the settings of these context entries.
 *
 * @throws Error that names every invalid entry, and what it should be.
 */
export function withSettings(
  stage: StageSettings,
  context: Readonly<Record<string, unknown>>,
): StageSettings {
  const changes: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, value] of Object.entries(context)) {
    if (key === 'name' || !Object.hasOwn(settings.shape, key)) {
      if (!cdkEntry.test(key)) faults.push(`${key}: there is no such setting`);
    } else changes[key] = readValue(key as keyof StageSettings, value);
  }
  const parsed = checked.safeParse({ ...stage, ...changes });
  if (!parsed.success)
    faults.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  if (faults.length > 0 || !parsed.success)
    throw new Error(`stage ${stage.name} has invalid settings:\n  ${faults.join('\n  ')}`);
  return parsed.data;
}

/** A command line gives text; values of other types are parsed as JSON. */
function readValue(key: keyof StageSettings, value: unknown): unknown {
  if (typeof value !== 'string' || settings.shape[key].safeParse(value).success) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
