/**
 * Parses one row of `senders`, which operators edit. Returns the row's sender, or the reason why the row is not used
 * (contract, section 14). The sends, the feedback and the tools all use this parser.
 */
import { type Channel, channels } from '../contract/channels.ts';
import { alphanumericSender, canonicalRecipient, countryNamed } from '../contract/phone-number.ts';
import { everyClient, paceMax, paceMin } from '../contract/rate-limits-and-caps.ts';
import {
  type EditedRow,
  type EditedTable,
  type IgnoredValue,
  type Parsed,
  parseBoolean,
  shownValue,
  validValue,
} from '../edited-table/row-editor.dynamo.ts';
import { closestName } from '../platform/closest-name.ts';

/**
 * The table's keys, and the attributes that operators edit. The sort key is the channel and the country, and the carrier if
 * it is not the channel's first: `sms GB`, `sms *`, `sms GB twilio`.
 */
export const senderTable = {
  variable: 'SENDERS_TABLE',
  sortKey: 'destination',
  attributes: ['identity', 'messages_per_second', 'entity_id', 'template_id', 'inbound', 'note'],
  change: { set: 'sender_set', removed: 'sender_removed', what: 'sender' },
} as const satisfies EditedTable;

/** The country in a row that applies to every country without its own row. */
export const everyCountry = '*';

/** The sender of a message. */
export interface Sender {
  /** A phone number, a pool or a sender ID; for WhatsApp, the id of the phone number. */
  readonly identity: string;
  readonly messages_per_second?: number;
  /** Only for messages to India. */
  readonly entity_id?: string;
  readonly template_id?: string;
}

/** Returns the same key for all spellings of an identity: numbers are canonical, and names ignore case. */
export function identityKey(channel: Channel, identity: string): string {
  return `${channel} ${identity.toLowerCase()}`;
}

interface Destination {
  readonly channel: Channel;
  /** The country in ISO 3166-1 alpha-2, or `*`. */
  readonly country: string;
  /** The carrier that the row is for; if absent, the channel's first carrier. */
  readonly carrier?: string;
}

export interface ParsedSenderRow {
  readonly clientId: string;
  /**
   * The identity that the row reserves for its client. Even if another value is invalid, it stays reserved, so that a
   * mistake never gives it to another client.
   */
  readonly given: { readonly channel: Channel; readonly identity: string } | undefined;
  /** Undefined if the row is invalid. It is then not used for sending and owns no number. */
  readonly valid: (Destination & { readonly sender: Sender; readonly inbound: boolean }) | undefined;
  readonly ignored: readonly IgnoredValue[];
}

/**
 * Parses a row. If any value is invalid, the whole row is not used, because the rest could send from a wrong name or at a
 * wrong pace.
 */
export function parseSenderRow(row: EditedRow): ParsedSenderRow {
  const clientId = String(row.client_id);
  const ignored: IgnoredValue[] = [];
  const valid = <T>(attribute: string, parse: (value: unknown) => Parsed<T>): T | undefined =>
    validValue(row, attribute, parse, ignored);

  const destination = valid('destination', parseDestination);
  const channel = destination?.channel ?? 'sms';
  if (row.identity === undefined) {
    ignored.push({ attribute: 'identity', reason: `it is missing. ${identityForms[channel]}` });
  }
  const identity = valid('identity', (value) => parseIdentity(value, channel));
  const pace = valid('messages_per_second', parsePace);
  const entityId = valid('entity_id', parseRegisteredId);
  const templateId = valid('template_id', parseRegisteredId);
  valid('carrier', () => ({ reason: 'the carrier belongs into the destination, such as "sms GB twilio".' }));
  const inbound = valid('inbound', (value) => parseInbound(value, clientId, channel, identity)) ?? false;
  if (row.entity_id === undefined && templateId !== undefined) ignored.push(missingPart('entity_id'));
  if (row.template_id === undefined && entityId !== undefined) ignored.push(missingPart('template_id'));
  if (identity !== undefined && destination !== undefined && !canReach(identity, destination)) {
    ignored.push({
      attribute: 'identity',
      reason: `sender IDs are not accepted in ${destination.country}. Write a phone number or a pool.`,
    });
  }
  const given = identity === undefined ? undefined : { channel, identity };
  if (destination === undefined || identity === undefined || ignored.length > 0)
    return { clientId, given, valid: undefined, ignored };
  const registered = { entity_id: entityId, template_id: templateId };
  const sender = { identity, messages_per_second: pace, ...registered };
  return { clientId, given, valid: { ...destination, sender, inbound }, ignored };
}

/** Countries whose carriers drop messages from sender IDs. */
export const countriesWithoutSenderIds: ReadonlySet<string> = new Set(['US', 'CA']);

/** The prefix of a pool's or a phone number's id, which can be as short as a sender ID. */
const resourceId = /^(?:pool|phone)-/;

/** True if an identity in AWS End User Messaging is a sender ID, and not a number or an id. */
export function isSenderId(identity: string): boolean {
  return alphanumericSender.test(identity) && !resourceId.test(identity);
}

export function canReach(identity: string, { channel, country }: Destination): boolean {
  return channel !== 'sms' || !countriesWithoutSenderIds.has(country) || !isSenderId(identity);
}

function missingPart(attribute: string): IgnoredValue {
  return { attribute, reason: 'it is missing. India requires both entity_id and template_id.' };
}

const destinationForm =
  'Write the channel and the country, such as "sms GB", or "sms *" for every country without a row of its own; a carrier may follow.';

const carrierName = /^[a-z]+$/;

/** Parses the destination, which is always a string because it is a key of the table. */
function parseDestination(value: unknown): Parsed<Destination> {
  const text = String(value);
  const [channel, country, carrier, ...more] = text.split(' ');
  const found = channels.find((name) => name === channel);
  const isCarrier = carrier === undefined || carrierName.test(carrier);
  if (found !== undefined && more.length === 0 && country !== undefined && isCarrier) {
    if (country === everyCountry || countryNamed(country) === country) {
      return { value: { channel: found, country, carrier } };
    }
    const meant = countryNamed(country);
    const suggestion =
      meant === undefined
        ? 'Write a two-letter country code of ISO 3166, such as GB, or *.'
        : `Write ${shownValue(destinationOf({ channel: found, country: meant, carrier }))}.`;
    return { reason: `there is no country ${shownValue(country)}. ${suggestion}` };
  }
  const meant = suggestedDestination(text);
  const suggestion = meant === undefined ? destinationForm : `Write ${shownValue(meant)}.`;
  return { reason: `${shownValue(text)} is not a destination. ${suggestion}` };
}

/** Returns the sort key of a row. */
export function destinationOf({
  channel,
  country,
  carrier,
}: {
  readonly channel: Channel;
  readonly country: string;
  readonly carrier?: string | null | undefined;
}): string {
  return [channel, country, ...(typeof carrier === 'string' ? [carrier] : [])].join(' ');
}

function suggestedDestination(text: string): string | undefined {
  const [, first = '', second = ''] = /^\W*([a-z]+)\W*?([a-z]{2,3}|\*)?\s*$/i.exec(text) ?? [];
  const country = second === everyCountry ? second : countryNamed(second);
  const channel = closestName(first, channels);
  if (channel !== undefined && country !== undefined) return `${channel} ${country}`;
  const alone = text.trim() === everyCountry ? everyCountry : countryNamed(text.trim());
  return alone === undefined ? undefined : `sms ${alone}`;
}

const identityForms = {
  sms: 'Write a phone number such as +447700900123, a short code, a sender ID of up to 11 letters, digits and hyphens, or the id of a pool, a phone number or a Messaging Service.',
  whatsapp:
    'Write the id of the phone number: of AWS End User Messaging Social, such as phone-number-id-0123456789, or of Meta, such as 106540352242922.',
} as const;

/**
 * Further identities that carriers accept: short codes, and the ids of pools, numbers and Messaging Services. ARNs are not
 * accepted, because they can name resources of other accounts, and the gateway may send only from its own.
 */
const smsIdentity = /^(?:(?:pool|phone)-[A-Za-z0-9-]{1,64}|MG[0-9a-f]{32}|\d{3,8})$/;
/** The number ids that AWS's `SendWhatsAppMessage` and Meta's Cloud API accept. */
const whatsAppIdentity = /^(?:phone-number-id-[A-Za-z0-9-]{1,90}|\d{6,20})$/;

function parseIdentity(value: unknown, channel: Channel): Parsed<string> {
  if (typeof value !== 'string') {
    const type = typeof value === 'number' ? ' is a number, not a text' : ' is not a text';
    return { reason: `${shownValue(value)}${type}. ${identityForms[channel]}` };
  }
  const text = value.trim();
  if (channel === 'whatsapp') {
    if (whatsAppIdentity.test(text)) return { value: text };
  } else {
    const number = canonicalRecipient(text);
    if (number !== undefined) return { value: number };
    if (smsIdentity.test(text) || isSenderId(text)) return { value: text };
  }
  return { reason: `${shownValue(value)} is not a sender. ${identityForms[channel]}` };
}

function parsePace(value: unknown): Parsed<number> {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const pace = /^\d{1,5}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
  if (pace !== undefined && pace >= paceMin && pace <= paceMax) return { value: pace };
  return {
    reason: `${shownValue(value)} is not a valid pace. Write a number from ${paceMin} to ${paceMax.toLocaleString('en')}, without separators.`,
  };
}

/** The pattern of `DestinationCountryParameters` in AWS's API model. */
const registeredId = /^[!-~]{1,64}$/;

function parseRegisteredId(value: unknown): Parsed<string> {
  // These ids have 19 digits, which a JavaScript number would round.
  if (typeof value === 'number') {
    return { reason: `${shownValue(value)} is a number and may be rounded. Write it as a text.` };
  }
  const text = typeof value === 'string' ? value.trim() : '';
  if (registeredId.test(text)) return { value: text };
  return { reason: `${shownValue(value)} is not an id. Write 1 to 64 characters without spaces.` };
}

function parseInbound(
  value: unknown,
  clientId: string,
  channel: Channel,
  identity: string | undefined,
): Parsed<boolean> {
  const inbound = parseBoolean(value);
  if (!('value' in inbound) || !inbound.value || identity === undefined) return inbound;
  if (clientId === everyClient) {
    return { reason: 'a number belongs to one client, so a row for every client cannot be inbound.' };
  }
  // Inbound messages contain the number, and no id of a pool or number.
  if (channel === 'sms' && !identity.startsWith('+') && !/^\d+$/.test(identity)) {
    return { reason: `only a phone number receives messages, and ${shownValue(identity)} is none.` };
  }
  return inbound;
}

/** The clients that may use each identity, by `identityKey`. */
export type Holders = ReadonlyMap<string, ReadonlySet<string>>;

export function holdersIn(
  rows: readonly { readonly clientId: string; readonly given: ParsedSenderRow['given'] }[],
): Holders {
  const holders = new Map<string, Set<string>>();
  for (const { clientId, given } of rows) {
    if (given === undefined) continue;
    const key = identityKey(given.channel, given.identity);
    holders.set(key, (holders.get(key) ?? new Set()).add(clientId));
  }
  return holders;
}

/** The pace of each identity, by `identityKey`. */
export type Paces = ReadonlyMap<string, number>;

/**
 * Returns the lowest pace of each sender in all valid rows, because a sender has one pace for all countries, carriers and
 * clients.
 */
export function pacesIn(rows: readonly ParsedSenderRow[]): Paces {
  const paces = new Map<string, number>();
  for (const { valid } of rows) {
    const pace = valid?.sender.messages_per_second;
    if (valid === undefined || pace === undefined) continue;
    const key = identityKey(valid.channel, valid.sender.identity);
    paces.set(key, Math.min(pace, paces.get(key) ?? pace));
  }
  return paces;
}
