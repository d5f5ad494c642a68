/** The stages: the same app with different settings. Only settings that differ from the defaults are listed. */
import { stageWith, withSettings } from './check-settings.ts';
import { InvalidSettings, type StageSettings } from './stage-settings.ts';

/** A trial on AWS: the whole gateway with simulated carriers, whose data is deleted with the stack. */
const dev = stageWith({ name: 'dev', stackName: 'messaging-gateway-dev' });

const production = stageWith({
  name: 'production',
  stackName: 'messaging-gateway-production',
  // The data is kept, because the record of sent messages must survive a deletion of the stack.
  keepData: true,
  logRetentionDays: 90,
  retentionDays: 90,
  tracing: true,
  apiAccessLogs: true,
  webAcl: true,
  canary: true,
  alarms: {},
  // Each channel needs a sender in the settings of the deploy, or must be turned off.
  smsCarrier: 'aws',
  whatsappCarrier: 'aws',
  // The caps limit the cost of a leaked key. A row in limit-overrides can raise them for a client.
  caps: { spend: { perDay: 100, perMonth: 1000 } },
});

/** The stage on this machine, on the emulator (`npm start` and the tests). */
const local = stageWith({
  name: 'local',
  stackName: 'messaging-gateway-local',
  emulator: true,
  webhookPorts: 'any',
  local: {
    webhookAllowHttp: true,
    webhookAllowLoopback: true,
    carrierBaseUrls: true,
    // The emulator looks for due schedules every 10 s, which takes two seconds.
    scheduleLeadSeconds: 12,
  },
  // There are only a few workers, because each is a process on this machine and all share the emulator. Most are for kinds
  // that must not wait.
  concurrency: { otpSends: 4, singleSends: 4, bulkSends: 2, receipts: 2, webhooks: 2, webhookRetries: 2 },
});

export const stages = { local, dev, production };

/**
 * Returns the stage in `-c stage=` (default `dev`), with the settings of the other context entries.
 *
 * @throws InvalidSettings that names every invalid entry with its permitted values
 */
export function stageFrom(context: Readonly<Record<string, unknown>>): StageSettings {
  const { stage: name = 'dev', ...rest } = context;
  const found = Object.values(stages).find((stage) => stage.name === name);
  if (found === undefined)
    throw new InvalidSettings(`no stage "${String(name)}"; there are: ${Object.keys(stages).join(', ')}`);
  return withSettings(found, rest);
}
