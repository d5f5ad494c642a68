/**
 * The stack's outputs: names of tables and queues (`LimitOverridesTable` becomes `limit_overrides`), and the settings that
 * the administrators' command line needs.
 */
import type { StageSettings } from '../stages/stage-settings.ts';
import { stageVariables } from '../stages/stage-variables.ts';

export interface StackResources {
  /** The tables, by names such as `limit_overrides`. */
  readonly tables: Readonly<Record<string, string>>;
  /** The URLs of the queues, including dead-letter queues. */
  readonly queues: Readonly<Record<string, string>>;
  /** The ARNs of the secrets, but never their values. A carrier's secret has the carrier's name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns a table's or queue's name for construct ids and outputs, such as `LimitOverrides` for `limit-overrides`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
}

export function resourcesOf(outputs: Readonly<Record<string, string>>): StackResources {
  return {
    tables: outputsThatEndIn('Table', outputs),
    queues: {
      ...outputsThatEndIn('Queue', outputs),
      ...outputsThatEndIn('DeadLetters', outputs, 'dead_letters'),
    },
    secrets: outputsThatEndIn('SecretArn', outputs),
  };
}

/** The output of each published setting, by its environment variable. */
const settingOutputs = {
  RETENTION_DAYS: 'RetentionDays',
  CURRENCY: 'Currency',
  COUNTRY: 'Country',
  ALLOWED_COUNTRIES: 'AllowedCountries',
  STAGE_CAPS: 'StageCaps',
  SMS_CARRIER: 'SmsCarrier',
  WHATSAPP_CARRIER: 'WhatsappCarrier',
  WEBHOOK_PORTS: 'WebhookPorts',
  WEBHOOK_ALLOW_HTTP: 'WebhookAllowHttp',
  WEBHOOK_ALLOW_LOOPBACK: 'WebhookAllowLoopback',
} as const;

type PublishedSetting = keyof typeof settingOutputs;

/** The output that identifies a stack as a gateway. Its value is the stage's name. */
export const stageOutput = 'GatewayStage';

export function publishedSettings(stage: StageSettings): Readonly<Record<string, string>> {
  const variables = stageVariables(stage);
  const settings = Object.entries(settingOutputs).map(([variable, output]) => [
    output,
    variables[variable as PublishedSetting] ?? '',
  ]);
  return {
    [stageOutput]: stage.name,
    ...Object.fromEntries(settings),
  };
}

/** Returns the published settings by environment variable. A setting is undefined if an older deploy did not publish it. */
export function settingsOf(
  outputs: Readonly<Record<string, string>>,
): Readonly<Record<PublishedSetting, string | undefined>> {
  const read = Object.entries(settingOutputs).map(([variable, output]) => [variable, outputs[output]]);
  return Object.fromEntries(read) as Record<PublishedSetting, string | undefined>;
}

function outputsThatEndIn(
  ending: string,
  outputs: Readonly<Record<string, string>>,
  suffix = '',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([name]) => name.endsWith(ending))
      .map(([name, value]) => {
        const words = name.slice(0, -ending.length).replaceAll(/(?<!^)([A-Z])/g, '_$1');
        return [[words.toLowerCase(), suffix].filter(Boolean).join('_'), value];
      }),
  );
}
