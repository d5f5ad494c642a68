/**
 * The settings of a stage: the values that each permits, and its value in `dev` and wherever `stages.ts` gives no
 * other. The settings that functions read have their schemas in `shared/contract/variables.ts`; the rules that involve
 * several settings are in `with-settings.ts`.
 */
import { readdirSync } from 'node:fs';
import { parse, resolve } from 'node:path';
import { isSupportedCountry } from 'libphonenumber-js/min';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { priceTable } from '../../shared/contract/price-table.ts';
import { variables } from '../../shared/contract/variables.ts';
import { isPlace, placeForm } from './countries-file.ts';

/**
 * The error texts of the schemas: zod/mini has none by default. They are not set by `z.config`, which is for all
 * schemas of a process.
 */
export const texts = { error: en().localeError };

const wholeNumber = z.int().check(z.positive());
/** The concurrency that an SQS event source permits. */
const queueConcurrency = z.int().check(z.minimum(2), z.maximum(1000));

/**
 * The limit follows from the name of the schedule group: 64 characters, of which 13 are a dash and part of the stack's
 * id. Other names that begin with the stack's may be longer (configuration set 64, web ACL metric 128, table 255).
 */
export const stackNameMaximum = 51;

/** The files of `functions/`. */
const functionNames: ReadonlySet<string> = new Set(
  readdirSync(resolve(import.meta.dirname, '../../functions')).map((file) => parse(file).name),
);

export const stageSettings = z.strictObject({
  /** The stage's name; `-c stage=` chooses one of `stages.ts` by it. */
  name: z.string(),
  /** The prefix of every name, so that an account can have several gateways. */
  stackName: z
    .string()
    .check(
      z.regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'letters, digits and dashes'),
      z.maxLength(stackNameMaximum, `${stackNameMaximum} characters at most`),
    ),
  /** The region; by default that of the AWS profile. */
  region: z.optional(z.string().check(z.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region, as eu-west-1'))),

  /** Whether tables, keys and logs are kept when the stack is deleted. */
  keepData: z._default(z.boolean(), false),
  /** Whether CloudFormation refuses to delete the stack until a deploy turns this off. */
  terminationProtection: z._default(z.boolean(), false),
  /** Days for which logs are kept. */
  logRetentionDays: z._default(z.union([z.literal(7), z.literal(30), z.literal(90), z.literal(365)]), 7),
  logLevel: z._default(variables.LOG_LEVEL, 'INFO'),
  /** Days for which messages and webhook deliveries are kept. */
  retentionDays: z._default(variables.RETENTION_DAYS, 30),
  /** X-Ray traces of every function; each trace is charged. */
  tracing: z._default(z.boolean(), false),
  /** API Gateway's access log, which has requests that reach no function; it needs the account's API Gateway log role. */
  apiAccessLogs: z._default(z.boolean(), false),
  /**
   * The role with which API Gateway writes logs, of which an account has one in a region: `create` sets it for all APIs of
   * the account, `existing` leaves the one that the account has.
   */
  apiLogRole: z._default(z.enum(['create', 'existing']), 'create'),

  /** The carriers; `simulator` sends no real messages, and costs nothing; with `off` sends by the channel are refused. */
  smsCarrier: z._default(variables.SMS_CARRIER, 'simulator'),
  whatsappCarrier: z._default(variables.WHATSAPP_CARRIER, 'simulator'),
  /**
   * A JSON file with the countries that clients may send to and the price of a message to each, in place of
   * `allowedCountries` and `prices` (docs/deploy.md). Where a carrier is not the simulator, both are required.
   */
  countriesFile: z.optional(z.string()),
  /** The estimated price of a message by country, until the carrier reports the real one. */
  prices: z._default(z.strictObject(priceTable().shape), {
    currency: 'USD',
    sms: { default: 0.0042 },
    whatsapp: { default: 0.005 },
  }),
  /**
   * Caps on recipients and on estimated cost for all clients, in the currency of `prices`; a row of `limit-overrides`
   * replaces them for its clients, window by window. A client with a cap can send about 1,000 requests a second.
   */
  caps: z._default(variables.STAGE_CAPS, {}),
  /**
   * When one-time passwords of a client to a country are held for an administrator (docs/decisions/otp-hold.md). By
   * default, a client whose share is not known is held below 20 %, others below half of their own.
   */
  otpHold: z._default(variables.OTP_HOLD, {
    minimumSends: 30,
    usualShare: 0.4,
    shareOfUsual: 0.5,
    minimumShare: 0.1,
    settleSeconds: 120,
  }),
  /** The number, sender id or pool set up in AWS End User Messaging; absent with the simulator. */
  smsOriginationIdentity: z.optional(variables.SMS_ORIGINATION_IDENTITY),
  /** The name of the configuration set for SMS receipts, which the deploy creates; by default the stack's name. */
  smsConfigurationSet: z.optional(variables.SMS_CONFIGURATION_SET),
  /**
   * The id of a protect configuration of AWS End User Messaging, created by hand: the countries that AWS itself allows
   * or blocks. Without it, the protect configuration of the configuration set or of the account is in force.
   */
  smsProtectConfigurationId: variables.SMS_PROTECT_CONFIGURATION,
  /** The opt-out list of the numbers and pools in AWS End User Messaging, with which suppressions are compared. */
  smsOptOutList: z._default(variables.SMS_OPT_OUT_LIST, 'Default'),
  whatsappPhoneNumberId: z.optional(variables.WHATSAPP_PHONE_NUMBER_ID),
  metaApiVersion: z._default(variables.META_API_VERSION, 'v23.0'),
  /** `name/language` of the approved authentication template for one-time passwords; without it they are sent as text. */
  whatsappOtpTemplate: variables.WHATSAPP_OTP_TEMPLATE,

  /** The country of numbers that administrators write without a country code, such as `07700 900123`, in a search. */
  country: z._default(
    variables.COUNTRY.check(z.refine(isSupportedCountry, 'a two-letter country code such as GB')),
    'GB',
  ),
  /** Words with which a person opts out, besides STOP and similar words: those of the recipients' languages. */
  optOutWords: z._default(variables.OPT_OUT_WORDS, []),

  /**
   * The only countries that clients without a list of their own may send to; a new client gets this list. Numbers
   * without a country, such as those of satellites, are allowed only if their calling code is named (`+881`), so not by
   * `all`.
   */
  allowedCountries: z._default(
    variables.ALLOWED_COUNTRIES.check(
      z.refine((places) => places === 'all' || places.every(isPlace), `each ${placeForm}`),
    ),
    'all',
  ),

  /** The address of the API if it is neither its domain name nor API Gateway's own: that of a proxy in front of it. */
  publicUrl: z.optional(
    z
      .url({ protocol: /^https?$/ })
      .check(
        z.regex(/[^/]$/, 'without a slash at its end'),
        z.regex(/^[^?#@]*$/, 'without a user, a password, a query and a fragment'),
      ),
  ),
  /** The API's domain name; its certificate is in the same region. Without a zone, the DNS record is created by hand. */
  customDomain: z.optional(
    z.strictObject({
      name: z.hostname(),
      certificateArn: z
        .string()
        .check(
          z.regex(
            /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
            'the ARN of a certificate in ACM',
          ),
        ),
      hostedZone: z.optional(z.strictObject({ id: z.string(), name: z.hostname() })),
    }),
  ),
  /**
   * The proxies in front of the API, and the header in which they name the caller's address: without it, all callers
   * without credentials, and all for the web ACL, are one address. That header of other requests is ignored.
   */
  trustedProxies: variables.TRUSTED_PROXIES,
  /** Whether a web ACL blocks known bad addresses and inputs. */
  webAcl: z._default(z.boolean(), false),
  /**
   * The number of requests of one source address in five minutes above which the web ACL blocks it. The default is
   * 1,000 a second, half of the API's throttle: enough for a busy client behind one address, and a flood from one
   * address does not block others.
   */
  webAclRequestsPerAddress: z._default(z.int().check(z.minimum(10), z.maximum(2_000_000_000)), 300_000),
  /**
   * The throttle of the whole API, above which API Gateway responds with 429; an account's own limit is 10,000 a
   * second.
   */
  apiThrottle: z._default(z.strictObject({ requestsPerSecond: wholeNumber, burst: wholeNumber }), {
    requestsPerSecond: 2000,
    burst: 4000,
  }),
  /** How many batches of each queue are processed at once; what a carrier or the endpoints can handle limits it. */
  concurrency: z._default(
    z.strictObject({
      otpSends: queueConcurrency,
      singleSends: queueConcurrency,
      bulkSends: queueConcurrency,
      receipts: queueConcurrency,
      webhooks: queueConcurrency,
      slowWebhooks: queueConcurrency,
    }),
    { otpSends: 10, singleSends: 20, bulkSends: 20, receipts: 20, webhooks: 50, slowWebhooks: 50 },
  ),
  /**
   * Provisioned read and write units a second, between which the tables that every message uses are scaled. Steady
   * traffic costs less than half of on-demand capacity, but is throttled for minutes when traffic suddenly doubles.
   */
  provisionedCapacity: z.optional(
    z
      .strictObject({ min: wholeNumber, max: z.int().check(z.positive(), z.maximum(40_000)) })
      .check(z.refine(({ min, max }) => min <= max, 'min must not be above max')),
  ),
  /** Reserved concurrency by function, such as `{"send-sms": 200}`. */
  reservedConcurrency: z._default(
    z.record(z.string(), z.int().check(z.nonnegative())).check(
      z.superRefine((reserved, context) => {
        for (const name of Object.keys(reserved).filter((each) => !functionNames.has(each)))
          context.addIssue({ code: 'custom', path: [name], message: 'there is no such function' });
      }),
    ),
    {},
  ),

  /** Whether there are alarms. Each metric that one reads is charged. */
  alarms: z._default(z.boolean(), false),
  /** The address that alarms notify; without one they only change their state. */
  alarmEmail: z.optional(z.email()),
  /** The address of docs/operate.md, whose runbooks alarms link to. */
  docsUrl: z._default(z.string().check(z.minLength(1)), 'docs/operate.md'),
  /** An alarm goes off when a day's messages cost more than this, in the currency of `prices`. */
  spendAlarmPerDay: z._default(z.number().check(z.positive()), 100),
  /** New code gets a tenth of the calls for five minutes, and is rolled back when an alarm goes off. */
  canary: z._default(z.boolean(), false),
  /** Permits a deploy while an alarm is on, which CodeDeploy otherwise refuses: for the deploy that fixes the cause. */
  ignoreAlarmConfiguration: z._default(z.boolean(), false),
  /** The keys that may sign tokens; the last one does. Two during a rotation. */
  tokenKeyGenerations: z._default(z.array(wholeNumber).check(z.minLength(1), z.maxLength(2)), [1]),

  /** Ports that a webhook URL may have; `any` only for endpoints on the same machine as the gateway. */
  webhookPorts: z._default(variables.WEBHOOK_PORTS, [80, 443]),
  webhookAllowHttp: z._default(variables.WEBHOOK_ALLOW_HTTP, false),
  /** Permits endpoints on loopback addresses: never on AWS, where these are Lambda's own. */
  webhookAllowLoopback: z._default(variables.WEBHOOK_ALLOW_LOOPBACK, false),
  /** Retry delays are divided by this, to try all five out locally; 1 on AWS. */
  webhookTimeScale: z._default(variables.WEBHOOK_TIME_SCALE, 1),
  /** How many seconds early a schedule is set: it may fire up to a minute late on AWS, 10 s on the emulator. */
  scheduleLeadSeconds: z._default(variables.SCHEDULE_LEAD_SECONDS, 60),

  /** Queue policies that require TLS; not for the emulator, which enforces them but serves only http. */
  enforceSslOnQueues: z._default(z.boolean(), true),
  /** The emulator's bootstrap role cannot access its bucket, so the local deploy uses the caller's credentials. */
  deployWithCallerCredentials: z._default(z.boolean(), false),
  /** The emulator requires `sqs:SendMessageBatch`; on AWS this is `sqs:SendMessage`. */
  grantSendMessageBatch: z._default(z.boolean(), false),
  /** The emulator checks CreateSchedule against `schedule/default/<name>` for every group. */
  grantDefaultScheduleGroup: z._default(z.boolean(), false),
  /** Permission to assume clients' roles only with an external id; the emulator does not know it in a role's own policy. */
  grantWithExternalIdOnly: z._default(z.boolean(), true),
});

export type StageSettings = Readonly<z.output<typeof stageSettings>>;

/** Returns the name of the configuration set; by default each gateway of an account has its own. */
export function smsConfigurationSet(stage: StageSettings): string {
  return stage.smsConfigurationSet ?? stage.stackName;
}
