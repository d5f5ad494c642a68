/**
 * The settings of a stage: their permitted values, and the defaults, which `stages.ts` overrides. `gateway-props.ts`
 * explains the settings for platform teams. The schemas of settings that functions read are in
 * `shared/contract/variables.ts`, and rules about several settings in `check-settings.ts`.
 */
import { isSupportedCountry } from 'libphonenumber-js/min';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { functionUses } from '../../shared/contract/function-uses.ts';
import { priceTable } from '../../shared/contract/prices.ts';
import { usualOnUnknown, usualUnknownDeadlines, variables } from '../../shared/contract/variables.ts';
import { alarmAddress, arnOf, idsOf, originationIdentity, orPlaceholder } from './aws-names.ts';
import { isPlace, placeForm } from './countries-file.ts';
import type { MessagingGatewayProps } from './gateway-props.ts';

/** The error texts of the schemas, because zod/mini has none. `z.config` would set them for all schemas of the process. */
export const texts = { error: en().localeError };

/** Invalid settings, which an operator must correct. The message names all of them. */
export class InvalidSettings extends Error {
  override name = 'InvalidSettings';
}

const ofFunction = z.strictObject({
  reserved: z.optional(z.int().check(z.nonnegative())),
  provisioned: z.optional(z.int().check(z.positive())),
});
const byFunction = z.record(z.string(), ofFunction).check(
  z.superRefine((functions, context) => {
    for (const name of Object.keys(functions).filter((each) => !Object.hasOwn(functionUses, each)))
      context.addIssue({ code: 'custom', path: [name], message: 'there is no such function' });
  }),
);

const region = z.string().check(z.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region, as eu-west-1'));
const wholeNumber = z.int().check(z.positive());
/** The concurrency that an SQS event source permits. */
const queueConcurrency = z.int().check(z.minimum(2), z.maximum(1000));

/**
 * The limit comes from the schedule group's name, which has at most 64 characters: a dash and part of the stack's id take
 * 13 of them. Other names with this prefix may be longer (configuration set 64, web ACL metric 128, table 255).
 */
export const stackNameMaximum = 51;

/** The retention periods of CloudWatch Logs, in days. */
const logRetentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
const isLogRetention = (days: number): boolean => logRetentions.includes(days);

/** A schema for each property of the construct, with the property's type. */
const ofConstruct = {
  keepData: z._default(z.boolean(), false),
  logRetentionDays: z._default(
    z.int().check(z.refine(isLogRetention, `one of ${logRetentions.join(', ')}`)),
    7,
  ),
  encryptionKeyArn: z.optional(arnOf('kms', 'key/[\\w-]+')),
  retentionDays: z._default(variables.RETENTION_DAYS, 30),
  tracing: z._default(z.boolean(), false),
  apiAccessLogs: z._default(z.boolean(), false),
  smsCarrier: z._default(variables.SMS_CARRIER, 'simulator'),
  whatsappCarrier: z._default(variables.WHATSAPP_CARRIER, 'simulator'),
  countries: z.optional(
    z.union([z.string(), z.custom<Exclude<MessagingGatewayProps['countries'], string | undefined>>()]),
  ),
  caps: z._default(variables.STAGE_CAPS, {}),
  onUnknown: z._default(variables.ON_UNKNOWN, usualOnUnknown),
  otpHold: z._default(variables.OTP_HOLD, {
    minimumSends: 50,
    minimumShare: 0.1,
  }),
  smsOriginationIdentity: z.optional(originationIdentity),
  whatsappPhoneNumberId: z.optional(orPlaceholder(variables.WHATSAPP_PHONE_NUMBER_ID)),
  whatsappOtpTemplate: variables.WHATSAPP_OTP_TEMPLATE,
  country: z._default(
    variables.COUNTRY.check(z.refine(isSupportedCountry, 'a two-letter country code such as GB')),
    'GB',
  ),
  optOutWords: z._default(variables.OPT_OUT_WORDS, []),
  publicUrl: z.optional(
    z
      .url({ protocol: /^https?$/ })
      .check(
        z.regex(/[^/]$/, 'without a slash at its end'),
        z.regex(/^[^?#@]*$/, 'without a user, a password, a query or a fragment'),
      ),
  ),
  customDomain: z.optional(
    z.strictObject({
      name: z.hostname(),
      certificateArn: arnOf('acm', 'certificate/[\\w-]+'),
      hostedZone: z.optional(z.strictObject({ id: z.string(), name: z.hostname() })),
      disableDefaultEndpoint: z._default(z.boolean(), false),
    }),
  ),
  trustedProxies: variables.TRUSTED_PROXIES,
  webAcl: z._default(z.union([z.boolean(), arnOf('wafv2', 'regional/webacl/.+')]), false),
  apiThrottle: z._default(z.strictObject({ requestsPerSecond: wholeNumber, burst: wholeNumber }), {
    requestsPerSecond: 2000,
    burst: 4000,
  }),
  concurrency: z._default(
    z.strictObject({
      otpSends: queueConcurrency,
      singleSends: queueConcurrency,
      bulkSends: queueConcurrency,
      receipts: queueConcurrency,
      webhooks: queueConcurrency,
      webhookRetries: queueConcurrency,
    }),
    { otpSends: 10, singleSends: 20, bulkSends: 20, receipts: 20, webhooks: 100, webhookRetries: 100 },
  ),
  provisionedCapacity: z.optional(
    z
      .strictObject({ min: wholeNumber, max: z.int().check(z.positive(), z.maximum(40_000)) })
      .check(z.refine(({ min, max }) => min <= max, 'min must not be above max')),
  ),
  functionConcurrency: z._default(byFunction, {}),
  alarms: z._default(
    z.union([
      z.literal(false),
      z.strictObject({
        mail: z.optional(alarmAddress),
        page: z.optional(alarmAddress),
        spendPerDay: z._default(z.number().check(z.positive()), 100),
      }),
    ]),
    false,
  ),
  docsUrl: z._default(
    z
      .string()
      .check(z.regex(/^https:\/\/[\w.~:/?&=%+-]{1,300}$/, 'an https address of at most 300 characters')),
    'https://git.example.com/messaging-gateway/blob/main/docs/operate.md',
  ),
  canary: z._default(z.boolean(), false),
  ignoreAlarmConfiguration: z._default(z.boolean(), false),
  tokenKeyGenerations: z._default(z.array(wholeNumber).check(z.minLength(1), z.maxLength(2)), [1]),
  webhookVpc: z.optional(
    z.strictObject({
      subnetIds: idsOf('subnet', 16),
      securityGroupIds: idsOf('sg', 5),
    }),
  ),
  webhookPorts: z._default(variables.WEBHOOK_PORTS, [80, 443]),
} satisfies {
  readonly [Name in Exclude<keyof MessagingGatewayProps, 'stage'>]: z.ZodMiniType<
    unknown,
    MessagingGatewayProps[Name]
  >;
};

/** Values that come from the setting `countries`. */
const ofCountries = {
  prices: z._default(z.strictObject(priceTable().shape), {
    currency: 'USD',
    sms: { default: 0.0042 },
    whatsapp: { default: 0.005 },
  }),
  allowedCountries: z._default(
    variables.ALLOWED_COUNTRIES.check(
      z.refine((places) => places === 'all' || places.every(isPlace), `each ${placeForm}`),
    ),
    'all',
  ),
};

/** Permissions and times for local endpoints and carriers. Stages on AWS use the defaults. */
const ofLocal = z.strictObject({
  webhookAllowHttp: z._default(variables.WEBHOOK_ALLOW_HTTP, false),
  /** Permits endpoints on loopback addresses, which on AWS would be Lambda itself. */
  webhookAllowLoopback: z._default(variables.WEBHOOK_ALLOW_LOOPBACK, false),
  /** The number by which the delays between webhook retries are divided. */
  webhookTimeScale: z._default(variables.WEBHOOK_TIME_SCALE, 1),
  /**
   * Schedules are set this many seconds early, because they may run late: up to a minute on AWS, and 10 s on the emulator.
   */
  scheduleLeadSeconds: z._default(variables.SCHEDULE_LEAD_SECONDS, 60),
  /** Permits a carrier's secret to set another URL (`base_url`). */
  carrierBaseUrls: z._default(variables.CARRIER_BASE_URLS, false),
  /** How many seconds after an attempt `onUnknown` applies. */
  unknownDeadlineSeconds: z._default(variables.UNKNOWN_DEADLINE_SECONDS, usualUnknownDeadlines),
});

export const stageSettings = z.strictObject({
  /** The name of the stage, as in `-c stage=`. */
  name: z.string(),
  /** The prefix of every name, so that an account can have several gateways. */
  stackName: z
    .string()
    .check(
      z.regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'letters, digits and dashes'),
      z.maxLength(stackNameMaximum, `${stackNameMaximum} characters at most`),
    ),
  /** The region; by default the region of the AWS profile. */
  region: z.optional(region),
  /** Settings that only the stage `local` may change. */
  local: z.prefault(ofLocal, {}),
  /** True for a deploy to the emulator, which serves only http and checks permissions differently. */
  emulator: z._default(z.boolean(), false),

  ...ofConstruct,
  ...ofCountries,
});

/** The values of `local` for all stages on AWS. */
export const localOnAws = ofLocal.parse({});

/** The settings that a deploy may change, without the stage's name and values that depend on other settings. */
export const settingNames = Object.keys(stageSettings.shape).filter(
  (name) => name !== 'name' && !Object.hasOwn(ofCountries, name),
);

export type StageSettings = Readonly<z.output<typeof stageSettings>>;
