/**
 * What sets one stage apart from another, as settings alone: every stage is the same app.
 * Each field says why a stage may want another value.
 */
import type { EnvironmentName } from '../shared/env.ts';

export interface StageSettings {
  readonly name: string;
  readonly stackName: string;

  /** Whether tables, keys and logs outlive the stack. Production data does; a trial leaves nothing behind. */
  readonly keepData: boolean;
  /** Days for which logs are kept: long enough to answer a complaint, short enough to be affordable. */
  readonly logRetentionDays: 7 | 30 | 90 | 365;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  /** Days for which a message and its deliveries can be looked up. */
  readonly retentionDays: number;

  /** `simulator` wherever no real message may leave, and none need be paid for. */
  readonly smsCarrier: 'simulator' | 'aws';
  readonly whatsappCarrier: 'simulator' | 'aws';

  /** What a message is expected to cost until the carrier says, by country; an account's own contract rules. */
  readonly prices: {
    readonly currency: string;
    readonly sms: Readonly<Record<string, number>>;
    readonly whatsapp: Readonly<Record<string, number>>;
  };
  /** What was set up by hand in AWS End User Messaging; empty where a simulator is the carrier. */
  readonly smsOriginationIdentity: string;
  readonly smsConfigurationSet: string;
  readonly whatsappPhoneNumberId: string;
  readonly metaApiVersion: string;

  /** Ports that a webhook URL may name; `any` only where receivers run beside the gateway. */
  readonly webhookPorts: 'any' | readonly number[];
  readonly webhookAllowHttp: boolean;
  /** Loopback and private receivers: never on AWS, where they would be our own network. */
  readonly webhookAllowPrivateAddresses: boolean;
  /** Retry delays are this many times shorter, so that a person can watch all five; 1 on AWS. */
  readonly webhookTimeScale: number;
  /** Workers of the slow lane, each with ten POSTs at most: on one machine each is a process to start. */
  readonly slowLaneConcurrency: number;
  /** How late a schedule may fire: within its minute on AWS, within the 10 s sweep of the emulator. */
  readonly scheduleLeadSeconds: number;

  /** Queue policies that demand TLS; the emulator enforces them, and serves http only. */
  readonly enforceSslOnQueues: boolean;
  /** The emulator's bootstrap role cannot reach its bucket, so the local deploy uses the caller's rights. */
  readonly deployWithCallerCredentials: boolean;
  /** The emulator asks for `sqs:SendMessageBatch`, which AWS knows only as `sqs:SendMessage`. */
  readonly grantSendMessageBatch: boolean;
  /** The emulator checks CreateSchedule against `schedule/default/<name>`, whatever the group. */
  readonly grantDefaultScheduleGroup: boolean;
}

/** One's own copy on AWS: the whole gateway, with nothing sent and nothing kept. */
const dev: StageSettings = {
  name: 'dev',
  stackName: 'messaging-gateway-dev',
  keepData: false,
  logRetentionDays: 7,
  logLevel: 'INFO',
  retentionDays: 30,
  smsCarrier: 'simulator',
  whatsappCarrier: 'simulator',
  prices: { currency: 'USD', sms: { default: 0.0042 }, whatsapp: { default: 0.005 } },
  smsOriginationIdentity: '',
  smsConfigurationSet: '',
  whatsappPhoneNumberId: '',
  metaApiVersion: 'v23.0',
  webhookPorts: [80, 443],
  webhookAllowHttp: false,
  webhookAllowPrivateAddresses: false,
  webhookTimeScale: 1,
  slowLaneConcurrency: 50,
  scheduleLeadSeconds: 60,
  enforceSslOnQueues: true,
  deployWithCallerCredentials: false,
  grantSendMessageBatch: false,
  grantDefaultScheduleGroup: false,
};

const production: StageSettings = {
  ...dev,
  name: 'production',
  stackName: 'messaging-gateway-production',
  // A deleted stack must not take the record of what was sent with it.
  keepData: true,
  logRetentionDays: 90,
  retentionDays: 90,
  smsCarrier: 'aws',
  whatsappCarrier: 'aws',
  // Named so by the one who sets the account up.
  smsOriginationIdentity: 'messaging-gateway',
  smsConfigurationSet: 'messaging-gateway',
  whatsappPhoneNumberId: 'phone-number-id-to-be-set',
};

/** On this machine, against the emulator (`npm start`, and the tests). */
const local: StageSettings = {
  ...dev,
  name: 'local',
  stackName: 'messaging-gateway-local',
  webhookPorts: 'any',
  webhookAllowHttp: true,
  webhookAllowPrivateAddresses: true,
  slowLaneConcurrency: 10,
  // One sweep of the emulator and two seconds for its work.
  scheduleLeadSeconds: 12,
  enforceSslOnQueues: false,
  deployWithCallerCredentials: true,
  grantSendMessageBatch: true,
  grantDefaultScheduleGroup: true,
};

export const stages: Readonly<Record<'local' | 'dev' | 'production', StageSettings>> = {
  local,
  dev,
  production,
};

/**
 * The stage of that name.
 *
 * @throws Error that lists the stages there are.
 */
export function stageNamed(name: string): StageSettings {
  const found = Object.values(stages).find((stage) => stage.name === name);
  if (found === undefined)
    throw new Error(`no stage "${name}"; there are: ${Object.keys(stages).join(', ')}`);
  return found;
}

/** The variables that some function reads and that are settled by the stage alone. */
export function stageVariables(stage: StageSettings): Partial<Record<EnvironmentName, string>> {
  return {
    RETENTION_DAYS: String(stage.retentionDays),
    PRICES: JSON.stringify(stage.prices),
    SMS_ORIGINATION_IDENTITY: stage.smsOriginationIdentity,
    SMS_CONFIGURATION_SET: stage.smsConfigurationSet,
    WHATSAPP_PHONE_NUMBER_ID: stage.whatsappPhoneNumberId,
    META_API_VERSION: stage.metaApiVersion,
    SMS_CARRIER: stage.smsCarrier,
    WHATSAPP_CARRIER: stage.whatsappCarrier,
    WEBHOOK_PORTS: stage.webhookPorts === 'any' ? 'any' : stage.webhookPorts.join(','),
    WEBHOOK_ALLOW_HTTP: String(stage.webhookAllowHttp),
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: String(stage.webhookAllowPrivateAddresses),
    WEBHOOK_TIME_SCALE: String(stage.webhookTimeScale),
    SCHEDULE_LEAD_SECONDS: String(stage.scheduleLeadSeconds),
    TOKEN_ISSUER: stage.stackName,
    TOKEN_AUDIENCE: `${stage.stackName}/api`,
  };
}
