/** The stages: the same app with different settings. Here is in what a stage differs from the values in `stage-settings.ts`. */
import { type StageSettings, stageWith, withSettings } from './stage-settings.ts';

/** A trial on AWS: the whole gateway, with simulated carriers and no data kept. */
const dev = stageWith({ name: 'dev', stackName: 'messaging-gateway-dev' });

const production = stageWith({
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
  // Needs `-c whatsappPhoneNumberId=`.
  whatsappCarrier: 'aws',
  // What a leaked key can spend; raised for a client by a row in limit-overrides.
  caps: { spend: { perDay: 100, perMonth: 1000 } },
  // Created by hand under this name.
  smsOriginationIdentity: 'messaging-gateway',
});

/** On this machine, with the emulator (`npm start` and the tests). */
const local = stageWith({
  name: 'local',
  stackName: 'messaging-gateway-local',
  webhookPorts: 'any',
  webhookAllowHttp: true,
  webhookAllowLoopback: true,
  // Each worker is a process of this machine, so fewer of them.
  concurrency: { otpSends: 4, singleSends: 8, bulkSends: 12, receipts: 4, webhooks: 8, slowWebhooks: 8 },
  // The emulator's sweep every 10 s, and two seconds for its work.
  scheduleLeadSeconds: 12,
  enforceSslOnQueues: false,
  deployWithCallerCredentials: true,
  alarmsOnExpressions: false,
  grantSendMessageBatch: true,
  grantDefaultScheduleGroup: true,
  grantWithExternalIdOnly: false,
});

export const stages = { local, dev, production };

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
