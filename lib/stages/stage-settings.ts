/**
 * What can be set of a stage, and what a stage must hold to be deployed.
 * Each field says why a stage may want another value; `-c field=value` gives it one for a deploy.
 */
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { priceTable } from '../../shared/contract/price-table.ts';

/** What is wrong with a setting, in words: the small zod brings no language of its own. */
z.config(en());

const wholeNumber = z.int().check(z.positive());
const carrier = z.enum(['simulator', 'aws']);

/**
 * The shortest name that begins with the stack's is that of the schedule group: 64 characters, of which 13 are a dash
 * and a part of the stack's id. A configuration set has 64 too, a metric of the web ACL 128, a table 255.
 */
export const stackNameMaximum = 51;

const settings = z.strictObject({
  name: z.string(),
  /** First in every name, so that several gateways can stand side by side in one account. */
  stackName: z
    .string()
    .check(
      z.regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'letters, digits and dashes'),
      z.maxLength(stackNameMaximum, `${stackNameMaximum} characters at most`),
    ),
  /** Where it stands; without one, where the AWS profile of the deploy says. */
  region: z.optional(z.string().check(z.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region, as eu-west-1'))),

  /** Whether tables, keys and logs outlive the stack. Production data does; a trial leaves nothing behind. */
  keepData: z.boolean(),
  /** Whether the stack refuses to be destroyed until a deploy takes this back. */
  terminationProtection: z.boolean(),
  /** Days for which logs are kept: long enough to answer a complaint, short enough to be affordable. */
  logRetentionDays: z.union([z.literal(7), z.literal(30), z.literal(90), z.literal(365)]),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  /** Days for which a message and its deliveries can be looked up. */
  retentionDays: wholeNumber,
  /** X-Ray's traces of every function and of the API: paid for by the trace. */
  tracing: z.boolean(),
  /** API Gateway's own log, with what never reached a function; it takes the account's API Gateway log role. */
  apiAccessLogs: z.boolean(),

  /** `simulator` wherever no real message may leave, and none need be paid for. */
  smsCarrier: carrier,
  whatsappCarrier: carrier,
  /** What a message is expected to cost until the carrier says, by country; an account's own contract rules. */
  prices: z.strictObject(priceTable().shape),
  /** What was set up by hand in AWS End User Messaging; empty where a simulator is the carrier. */
  smsOriginationIdentity: z.string(),
  /** The configuration set that the deploy makes for receipts of SMS; without a name, under that of the stack. */
  smsConfigurationSet: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -, 64 at most')),
  ),
  whatsappPhoneNumberId: z.string(),
  metaApiVersion: z.string().check(z.regex(/^v\d+\.\d+$/, "a version of Meta's API, as v23.0")),
  /** `name/language` of the approved authentication template for one-time passwords; without it they go as text. */
  whatsappOtpTemplate: z.optional(z.string()),

  /** The API's own name; its certificate stands in the same region. Without a zone, DNS is pointed by hand. */
  customDomain: z.optional(
    z.strictObject({
      name: z.hostname(),
      certificateArn: z.string().check(z.startsWith('arn:')),
      hostedZone: z.optional(z.strictObject({ id: z.string(), name: z.hostname() })),
    }),
  ),
  /** A web ACL before the API: known bad senders and inputs are refused before they cost anything. */
  webAcl: z.boolean(),
  /** Requests of one source address in five minutes that the web ACL lets through. */
  webAclRequestsPerAddress: z.int().check(z.minimum(10), z.maximum(2_000_000_000)),
  /** Above it API Gateway answers 429 by itself; an account has 10,000 a second in all. */
  apiThrottle: z.strictObject({ requestsPerSecond: wholeNumber, burst: wholeNumber }),
  /** How many batches of each queue are worked on at once: what a carrier or the receivers can take. */
  concurrency: z.strictObject({
    dispatch: z.int().check(z.minimum(2), z.maximum(1000)),
    receipts: z.int().check(z.minimum(2), z.maximum(1000)),
    webhooks: z.int().check(z.minimum(2), z.maximum(1000)),
    slowWebhooks: z.int().check(z.minimum(2), z.maximum(1000)),
  }),
  /**
   * Write and read units a second between which each table that a message touches is scaled, where traffic is steady:
   * less than half the price of capacity on demand, and throttled for minutes when traffic doubles at once.
   */
  provisionedCapacity: z.optional(
    z
      .strictObject({ min: wholeNumber, max: z.int().check(z.positive(), z.maximum(40_000)) })
      .check(z.refine(({ min, max }) => min <= max, 'min must not be above max')),
  ),
  /** Concurrency kept for a function and denied to it beyond: by its file's name, as `{"send-sms": 200}`. */
  reservedConcurrency: z.record(z.string(), z.int().check(z.nonnegative())),

  /** Who is told of an alarm; without one, alarms only change their state. */
  alarmEmail: z.optional(z.email()),
  /** Where the runbook that alarms link to can be read. */
  docsUrl: z.string().check(z.minLength(1)),
  /** What a day's messages may cost, in the prices' currency, before someone is told. */
  spendAlarmPerDay: z.number().check(z.positive()),
  /** New code takes a tenth of the calls for five minutes, and goes back by itself when an alarm goes off. */
  canary: z.boolean(),
  /** Lets a deploy pass while an alarm is on, which CodeDeploy otherwise refuses: for the deploy that mends the cause. */
  ignoreAlarmConfiguration: z.boolean(),
  /** The keys that may sign tokens; the last one does. Two stand side by side while one follows the other. */
  tokenKeyGenerations: z.array(wholeNumber).check(z.minLength(1), z.maxLength(2)),

  /** Ports that a webhook URL may name; `any` only where receivers run beside the gateway. */
  webhookPorts: z.union([
    z.literal('any'),
    z.array(z.int().check(z.minimum(1), z.maximum(65_535))).check(z.minLength(1)),
  ]),
  webhookAllowHttp: z.boolean(),
  /** Receivers on loopback addresses: never on AWS, where they would be Lambda's own. */
  webhookAllowLoopback: z.boolean(),
  /** Retry delays are this many times shorter, so that a person can watch all five; 1 on AWS. */
  webhookTimeScale: wholeNumber,
  /** How late a schedule may fire: within its minute on AWS, within the 10 s sweep of the emulator. */
  scheduleLeadSeconds: z.int().check(z.nonnegative()),

  /** Queue policies that demand TLS; the emulator enforces them, and serves http only. */
  enforceSslOnQueues: z.boolean(),
  /** The emulator's bootstrap role cannot reach its bucket, so the local deploy uses the caller's rights. */
  deployWithCallerCredentials: z.boolean(),
  /** The emulator asks for `sqs:SendMessageBatch`, which AWS knows only as `sqs:SendMessage`. */
  grantSendMessageBatch: z.boolean(),
  /** Alarms on an expression of several metrics, which the emulator refuses. */
  alarmsOnExpressions: z.boolean(),
  /** The emulator checks CreateSchedule against `schedule/default/<name>`, whatever the group. */
  grantDefaultScheduleGroup: z.boolean(),
});

export type StageSettings = Readonly<z.output<typeof settings>>;

/** Two gateways in one account each have a configuration set of their own. */
export function smsConfigurationSet(stage: StageSettings): string {
  return stage.smsConfigurationSet ?? stage.stackName;
}

/** What must hold between settings. */
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

/** Names that the CDK itself puts into the context hold one of these. */
const ofTheCdk = /[:/@]/;

/**
 * The stage with these context entries in the place of its own settings.
 *
 * @throws Error that tells every entry that is at fault, and what it should be.
 */
export function withSettings(
  stage: StageSettings,
  context: Readonly<Record<string, unknown>>,
): StageSettings {
  const changes: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, value] of Object.entries(context)) {
    if (key === 'name' || !Object.hasOwn(settings.shape, key)) {
      if (!ofTheCdk.test(key)) faults.push(`${key}: there is no such setting`);
    } else changes[key] = readValue(key as keyof StageSettings, value);
  }
  const parsed = checked.safeParse({ ...stage, ...changes });
  if (!parsed.success)
    faults.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  if (faults.length > 0 || !parsed.success)
    throw new Error(`stage ${stage.name} cannot be deployed so:\n  ${faults.join('\n  ')}`);
  return parsed.data;
}

/** A command line knows text alone: what is no text by its kind is read as JSON. */
function readValue(key: keyof StageSettings, value: unknown): unknown {
  if (typeof value !== 'string' || settings.shape[key].safeParse(value).success) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
