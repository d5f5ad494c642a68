/** The stages: the same app with different settings. */
import { type StageSettings, withSettings } from './stage-settings.ts';

/** A trial on AWS: the whole gateway, with simulated carriers and no data kept. */
const dev: StageSettings = {
  name: 'dev',
  stackName: 'messaging-gateway-dev',
  keepData: false,
  terminationProtection: false,
  logRetentionDays: 7,
  logLevel: 'INFO',
  retentionDays: 30,
  tracing: false,
  apiAccessLogs: false,
  smsCarrier: 'simulator',
  whatsappCarrier: 'simulator',
  prices: { currency: 'USD', sms: { default: 0.0042 }, whatsapp: { default: 0.005 } },
  caps: {},
  // A client whose share is not known is held below 20 %, others below half of their own.
  otpHold: { minimumSends: 30, usualShare: 0.4, shareOfUsual: 0.5, minimumShare: 0.1, settleSeconds: 120 },
  smsOriginationIdentity: '',
  whatsappPhoneNumberId: '',
  metaApiVersion: 'v23.0',
  country: 'GB',
  allowedCountries: 'all',
  optOutWords: [],
  smsOptOutList: 'Default',
  webAcl: false,
  // 1,000 a second, half of the API's throttle: enough for a busy client behind one address, and a flood from one address
  // does not block others.
  webAclRequestsPerAddress: 300_000,
  apiThrottle: { requestsPerSecond: 2000, burst: 4000 },
  concurrency: {
    otpSends: 10,
    singleSends: 20,
    bulkSends: 20,
    receipts: 20,
    webhooks: 50,
    slowWebhooks: 50,
  },
  reservedConcurrency: {},
  docsUrl: 'docs/operate.md',
  spendAlarmPerDay: 100,
  canary: false,
  ignoreAlarmConfiguration: false,
  tokenKeyGenerations: [1],
  webhookPorts: [80, 443],
  webhookAllowHttp: false,
  webhookAllowLoopback: false,
  webhookTimeScale: 1,
  scheduleLeadSeconds: 60,
  enforceSslOnQueues: true,
  deployWithCallerCredentials: false,
  alarmsOnExpressions: true,
  grantSendMessageBatch: false,
  grantDefaultScheduleGroup: false,
  grantWithExternalIdOnly: true,
};

const production: StageSettings = {
  ...dev,
  name: 'production',
  stackName: 'messaging-gateway-production',
  // The record of what was sent must survive a deletion of the stack.
  keepData: true,
  terminationProtection: true,
  logRetentionDays: 90,
  retentionDays: 90,
  tracing: true,
  apiAccessLogs: true,
  webAcl: true,
  canary: true,
  smsCarrier: 'aws',
  whatsappCarrier: 'aws',
  // What a leaked key can spend; raised for a client by a row in limit-overrides.
  caps: { spend: { perDay: 100, perMonth: 1000 } },
  // Created by hand under this name.
  smsOriginationIdentity: 'messaging-gateway',
  // Must be set with `-c whatsappPhoneNumberId=`.
  whatsappPhoneNumberId: '',
};

/** On this machine, with the emulator (`npm start` and the tests). */
const local: StageSettings = {
  ...dev,
  name: 'local',
  stackName: 'messaging-gateway-local',
  webhookPorts: 'any',
  webhookAllowHttp: true,
  // Each worker is a process of this machine, so fewer of them.
  concurrency: { otpSends: 4, singleSends: 8, bulkSends: 12, receipts: 4, webhooks: 8, slowWebhooks: 8 },
  webhookAllowLoopback: true,
  // The emulator's sweep every 10 s, and two seconds for its work.
  scheduleLeadSeconds: 12,
  enforceSslOnQueues: false,
  deployWithCallerCredentials: true,
  alarmsOnExpressions: false,
  grantSendMessageBatch: true,
  grantDefaultScheduleGroup: true,
  grantWithExternalIdOnly: false,
};

export const stages: Readonly<Record<'local' | 'dev' | 'production', StageSettings>> = {
  local,
  dev,
  production,
};

/**
 * The stage of `-c stage=` (default `dev`), with the settings of other context entries.
 *
 * @throws Error that names every invalid entry, and what it should be.
 */
export function stageFrom(context: Readonly<Record<string, unknown>>): StageSettings {
  const { stage: name = 'dev', ...rest } = context;
  const found = Object.values(stages).find((stage) => stage.name === name);
  if (found === undefined)
    throw new Error(`no stage "${String(name)}"; there are: ${Object.keys(stages).join(', ')}`);
  return withSettings(found, rest);
}
