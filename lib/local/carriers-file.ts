/**
 * Reads the file of `npm start -- --carriers FILE`: the carriers of each channel, and their credentials. An error never
 * shows a value of the file, because it may be a credential.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { carrierReports } from '../../shared/carrier/carrier-reports.ts';
import { type Channel, channels } from '../../shared/contract/channels.ts';
import { onUnknownRules, unknownDeadlines } from '../../shared/contract/variables.ts';
import { StartFailure } from './start-failure.ts';

const names = z.array(z.string()).check(z.minLength(1));

const carriersFile = z.catchall(
  z.object({
    sms: z.optional(names),
    whatsapp: z.optional(names),
    on_unknown: z.optional(onUnknownRules()),
    unknown_deadline_seconds: z.optional(unknownDeadlines()),
  }),
  z.unknown(),
);

export interface LocalCarriers {
  /** The stage's settings. Channels that the file does not name stay simulated. */
  readonly settings: { readonly local?: object; readonly [setting: string]: unknown };
  /** The value of each carrier's secret, by the carrier's name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** @throws StartFailure that lists the errors in the file */
export function readCarriersFile(file: string): LocalCarriers {
  const parsed = carriersFile.safeParse(read(file));
  if (!parsed.success) throw faulty(file, parsed.error.issues.map(faultOf));
  const { sms, whatsapp, on_unknown, unknown_deadline_seconds, ...secrets } = parsed.data;
  const used = { sms, whatsapp };
  const faults = [
    ...channels.flatMap((channel) => listFaults(channel, used[channel] ?? [])),
    ...Object.entries(secrets).flatMap(([name, given]) => {
      const isNamed = channels.some((channel) => used[channel]?.includes(name));
      return isNamed ? secretFaults(name, given) : [`${name}: no channel names this carrier`];
    }),
  ];
  if (faults.length > 0) throw faulty(file, faults);
  return {
    settings: {
      smsCarrier: sms?.join(','),
      whatsappCarrier: whatsapp?.join(','),
      onUnknown: on_unknown,
      ...(unknown_deadline_seconds === undefined
        ? {}
        : { local: { unknownDeadlineSeconds: unknown_deadline_seconds } }),
    },
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
  };
}

/** The carriers that work locally: all except AWS, which needs an account. */
const known = carrierReports.filter(({ descriptor }) => descriptor.name !== 'aws');

function listFaults(channel: Channel, list: readonly string[]): string[] {
  const possible = known
    .map(({ descriptor }) => descriptor)
    .filter((each) => each.channels.includes(channel));
  return list.flatMap((name, index) => {
    if (!possible.some((each) => each.name === name))
      return [
        `${channel}.${index}: a carrier of ${channel} is one of ${possible.map((each) => each.name).join(', ')}`,
      ];
    return list.indexOf(name) < index ? [`${channel}.${index}: this carrier is named twice`] : [];
  });
}

/** Returns the errors of a secret. A secret is one object or, during a rotation, a list of two. */
function secretFaults(name: string, given: unknown): string[] {
  const schema = known.find(({ descriptor }) => descriptor.name === name)?.callbacks?.credentials;
  if (schema === undefined) return [`${name}: this carrier has no credentials`];
  const form = Array.isArray(given) ? z.array(schema).check(z.minLength(1), z.maxLength(2)) : schema;
  return form.safeParse(given).error?.issues.map(({ path }) => faultOf({ path: [name, ...path] })) ?? [];
}

function faultOf({ path }: { readonly path: readonly PropertyKey[] }): string {
  return `${path.join('.') || 'the whole'}: missing or not of the documented form`;
}

function faulty(file: string, faults: readonly string[]): StartFailure {
  return new StartFailure(
    `The carriers file ${file} does not have the form of docs/local.md: ${faults.join('; ')}`,
  );
}

function read(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StartFailure(`The carriers file ${file} cannot be read: ${String(cause)}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would quote the file.
    throw new StartFailure(`The carriers file ${file} is not JSON.`);
  }
}
