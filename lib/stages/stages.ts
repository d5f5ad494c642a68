/** The stages, as settings alone: every stage is the same app. */
import { type StageSettings, withSettings } from './stage-settings.ts';

/** One's own copy on AWS: the whole gateway, with nothing sent and nothing kept. */
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
  smsOriginationIdentity: '',
  whatsappPhoneNumberId: '',
  metaApiVersion: 'v23.0',
  webAcl: false,
  // 1,000 a second, half of what the whole API takes: a busy client behind one address stays below, a flood does not
  // take the API from everybody else.
  webAclRequestsPerAddress: 300_000,
  apiThrottle: { requestsPerSecond: 2000, burst: 4000 },
  concurrency: { dispatch: 20, receipts: 20, webhooks: 50, slowWebhooks: 50 },
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
};

const production: StageSettings = {
  ...dev,
  name: 'production',
  stackName: 'messaging-gateway-production',
  // A deleted stack must not take the record of what was sent with it.
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
  // Named so by the one who sets the account up.
  smsOriginationIdentity: 'messaging-gateway',
  // Set by `-c whatsappPhoneNumberId=`: nobody else's will do.
  whatsappPhoneNumberId: '',
};

/** On this machine, against the emulator (`npm start`, and the tests). */
const local: StageSettings = {
  ...dev,
  name: 'local',
  stackName: 'messaging-gateway-local',
  webhookPorts: 'any',
  webhookAllowHttp: true,
  // Each worker is a process of this machine, and its start costs all others.
  concurrency: { ...dev.concurrency, slowWebhooks: 8 },
  webhookAllowLoopback: true,
  // One sweep of the emulator and two seconds for its work.
  scheduleLeadSeconds: 12,
  enforceSslOnQueues: false,
  deployWithCallerCredentials: true,
  alarmsOnExpressions: false,
  grantSendMessageBatch: true,
  grantDefaultScheduleGroup: true,
};

export const stages: Readonly<Record<'local' | 'dev' | 'production', StageSettings>> = {
  local,
  dev,
  production,
};

/**
 * The stage that `-c stage=` names, `dev` without one, with what other context entries say of its settings.
 *
 * @throws Error that tells every entry that is at fault, and what it should be.
 */
export function stageFrom(context: Readonly<Record<string, unknown>>): StageSettings {
  const { stage: name = 'dev', ...rest } = context;
  const found = Object.values(stages).find((stage) => stage.name === name);
  if (found === undefined)
    throw new Error(`no stage "${String(name)}"; there are: ${Object.keys(stages).join(', ')}`);
  return withSettings(found, rest);
}
