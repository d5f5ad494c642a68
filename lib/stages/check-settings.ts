/**
 * Applies the settings of a deploy (`settings.STAGE.json`, `-c field=value`) to a stage. Refuses invalid values and
 * combinations.
 */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { carrierDescriptors } from '../../shared/carrier/carrier-descriptors.ts';
import { carriersIn } from '../../shared/contract/channels.ts';
import { closestName } from '../../shared/platform/closest-name.ts';
import { fromText } from '../../shared/platform/env.ts';
import { readCountries, sampleCountriesFile } from './countries-file.ts';
import {
  InvalidSettings,
  localOnAws,
  type StageSettings,
  settingNames,
  stageSettings,
  texts,
} from './stage-settings.ts';

/**
 * The queues that each function consumes. Its maximum concurrency is the sum of their concurrencies. If its reserved
 * concurrency is lower, Lambda throttles its batches until they fail.
 */
const queuesOf = {
  'dispatch-message': ['otpSends', 'singleSends', 'bulkSends'],
  'record-receipt': ['receipts'],
  'deliver-webhook': ['webhooks', 'webhookRetries'],
} as const;

/** The values in `settings-sample.json` that must be replaced. */
const sampleValues = {
  alarms: 'operations@example.com',
  smsOriginationIdentity: 'pool-0123456789',
  whatsappPhoneNumberId: 'phone-number-id-0123456789',
} as const;

/** Rules that involve several settings. */
const checked = stageSettings.check(
  z.superRefine((stage, context) => {
    const demand = (holds: boolean, field: keyof StageSettings, message: string): void => {
      if (!holds) context.addIssue({ code: 'custom', path: [field], message });
    };
    const { smsCarrier, whatsappCarrier } = stage;
    for (const [carrier, channel] of [
      ['smsCarrier', 'sms'],
      ['whatsappCarrier', 'whatsapp'],
    ] as const) {
      const names = carrierDescriptors.filter(({ channels }) => channels.includes(channel));
      const known = names.map(({ name }) => name);
      const list = carriersIn(stage[carrier]);
      demand(
        new Set(list).size === list.length && list.every((name) => known.includes(name)),
        carrier,
        `off, or some of ${known.join(', ')} in order of preference, separated by commas`,
      );
      demand(
        stage.name !== 'production' || !list.includes('simulator'),
        carrier,
        'aws or off: the simulator would report deliveries that never happened, and keep the texts of messages',
      );
    }
    demand(
      smsCarrier !== 'off' || whatsappCarrier !== 'off',
      'smsCarrier',
      'both cannot be off; use aws for one of the channels',
    );
    const alarmAddresses = stage.alarms === false ? [] : [stage.alarms.mail, stage.alarms.page];
    for (const [name, value] of Object.entries(sampleValues) as [keyof typeof sampleValues, string][])
      demand(
        stage.name === 'local' || ![stage[name], ...alarmAddresses].includes(value),
        name,
        `${value} is only the sample's value; replace it with your own`,
      );
    demand(stage.alarms !== false || !stage.canary, 'canary', 'needs the setting alarms');
    demand(
      stage.alarms === false || stage.alarms.mail !== undefined || stage.alarms.page === undefined,
      'alarms',
      'page needs mail, which all other alarms use',
    );
    demand(
      !carriersIn(smsCarrier).includes('aws') || stage.smsOriginationIdentity !== undefined,
      'smsOriginationIdentity',
      'the number, sender ID or pool from which messages are sent; required if smsCarrier is aws',
    );
    demand(
      !carriersIn(whatsappCarrier).includes('aws') || stage.whatsappPhoneNumberId !== undefined,
      'whatsappPhoneNumberId',
      'phone-number-id-… of AWS End User Messaging Social; required if whatsappCarrier is aws',
    );
    for (const [name, queues] of Object.entries(queuesOf)) {
      const taken = queues.reduce((sum, queue) => sum + stage.concurrency[queue], 0);
      demand(
        (stage.functionConcurrency[name]?.reserved ?? taken) >= taken,
        'functionConcurrency',
        `${name} needs at least ${taken} reserved, which is the concurrency of ${queues.join(', ')}`,
      );
    }
    demand(
      stage.name === 'local' || isDeepStrictEqual(stage.local, localOnAws),
      'local',
      'only the stage local has these settings, which are for endpoints and carriers on this machine',
    );
    for (const fault of countryFaults(stage)) demand(false, 'countries', fault);
  }),
);

const countriesToGive = `a JSON file such as ${sampleCountriesFile}`;

/**
 * If sending costs money, returns an error for allowed countries without a price. With the same price for all countries,
 * messages to the most expensive ones could exceed a spend cap hundreds of times.
 */
function countryFaults({
  name,
  smsCarrier,
  whatsappCarrier,
  allowedCountries,
  prices,
}: StageSettings): string[] {
  const paid = [
    ...(name !== 'local' && isPaid(smsCarrier) ? (['sms'] as const) : []),
    ...(name !== 'local' && isPaid(whatsappCarrier) ? (['whatsapp'] as const) : []),
  ];
  if (paid.length === 0 && name !== 'production') return [];
  if (allowedCountries === 'all')
    return [`the countries that clients may send to, with a price for each, in ${countriesToGive}`];
  return paid.flatMap((channel) => {
    const missing = allowedCountries.filter((country) => !((prices[channel][country] ?? 0) > 0));
    return missing.length === 0 ? [] : [`a price above 0 for ${channel} to ${missing.join(', ')}`];
  });
}

/** Returns true if messages of a channel cost money. */
function isPaid(carriers: string): boolean {
  return carriersIn(carriers).some((name) => name !== 'simulator');
}

/**
 * Returns the stage with these settings. Rules about several settings are not checked, because a deploy may add missing
 * values.
 */
export function stageWith(given: z.input<typeof stageSettings>): StageSettings {
  return stageSettings.parse(given, texts);
}

function isSetting(name: string): name is keyof StageSettings {
  return settingNames.includes(name);
}

/**
 * Returns the texts of an issue. If a value matches no alternative of a union, returns the texts for the last one, which is
 * an object or an ARN.
 */
function faultsOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[] = issue.path): string[] {
  const ofLastForm = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (ofLastForm === undefined) return [`${path.join('.')}: ${issue.message}`];
  return ofLastForm.flatMap((each) => faultsOf(each, [...path, ...each.path]));
}

/** Returns the end of an error about an unknown setting, which suggests the most similar one. */
function meantBy(name: string): string {
  const meant = closestName(name, settingNames);
  return meant === undefined ? '' : `. Did you mean ${meant}?`;
}

/** Matches context entries that the CDK itself sets. */
const cdkEntry = /[:/@]/;

/**
 * Returns the stage with the settings in these context entries, which are values or texts from a command line.
 *
 * @throws Error that names every invalid entry with its permitted values
 */
export function withSettings(
  stage: StageSettings,
  context: Readonly<Record<string, unknown>>,
): StageSettings {
  const changes: Record<string, unknown> = {};
  const faults: string[] = [];
  const { countries } = context;
  if (countries !== undefined) {
    try {
      Object.assign(changes, readCountries(countries, texts));
    } catch (error) {
      const found =
        error instanceof z.core.$ZodError
          ? error.issues.flatMap((issue) => faultsOf(issue))
          : [String(error)];
      const file = typeof countries === 'string' ? `countries, ${countries}` : 'countries';
      faults.push(...found.map((fault) => `${file}: ${fault}`));
    }
  }
  for (const [key, value] of Object.entries(context)) {
    if (!isSetting(key)) {
      if (!cdkEntry.test(key)) faults.push(`${key}: there is no such setting${meantBy(key)}`);
    } else changes[key] = typeof value === 'string' ? fromText(stageSettings.shape[key], value) : value;
  }
  // A start of the local stage changes only some of the values in `local`.
  if (changes.local !== undefined) changes.local = { ...stage.local, ...(changes.local as object) };
  const parsed = checked.safeParse({ ...stage, ...changes }, texts);
  if (!parsed.success) faults.push(...parsed.error.issues.flatMap((issue) => faultsOf(issue)));
  if (faults.length > 0 || !parsed.success)
    throw new InvalidSettings(`stage ${stage.name} has invalid settings:\n  ${faults.join('\n  ')}`);
  return parsed.data;
}
