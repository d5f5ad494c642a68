/**
 * Writes the feedback in a row of `senders` (contract 10.5): which messages use the row, or why no message does. It reads
 * the row with the same function as the sends.
 */

import { type Channel, channelNames, stageCarriersOf } from '../contract/channels.ts';
import { decimalText } from '../contract/prices.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import {
  type Feedback,
  faultText,
  joinSentences,
  keepTime,
  missingClientFault,
  misspelledAttributes,
  sinceText,
} from '../edited-table/feedback.ts';
import { allStoredRows, clientExistence, reviewRows } from '../edited-table/review-rows.dynamo.ts';
import { type EditedRow, shownValue } from '../edited-table/row-editor.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { claimsOf } from './number-owners.ts';
import {
  countriesWithoutSenderIds,
  everyCountry,
  type Holders,
  identityKey,
  isSenderId,
  type Paces,
  type ParsedSenderRow,
  pacesIn,
  parseSenderRow,
  type Sender,
  senderTable,
} from './sender-row.ts';

export function senderFeedback(
  row: EditedRow,
  context: {
    readonly now: Date;
    /** True if the row's `client_id` exists. */
    readonly clientExists: boolean;
    /** The numbers that the rows claim for their clients. */
    readonly claims: Holders;
    /** The pace of each identity, from all rows. */
    readonly paces: Paces;
    readonly carriers: Readonly<Record<Channel, readonly string[]>>;
  },
): Feedback {
  return keepTime(row, judge(row, context));
}

function judge(
  row: EditedRow,
  { now, clientExists, claims, paces, carriers }: Parameters<typeof senderFeedback>[1],
): Feedback {
  const parsed = parseSenderRow(row);
  const { clientId, valid, ignored } = parsed;
  const faults = ignored.map(faultText);
  if (!clientExists) faults.unshift(faultText(missingClientFault(clientId, '.')));
  if (valid !== undefined) faults.push(...carrierFaults(valid, carriers));
  const misspelled = misspelledAttributes(row, senderTable).map(faultText);
  if (valid === undefined || faults.length > 0) {
    const unused = 'The row is not used until this is corrected; the next row in order is.';
    return { status: 'invalid', status_message: joinSentences(...faults, ...misspelled, unused) };
  }
  const disputed = disputedNumber(parsed, claims);
  const since = sinceText(now);
  const effect = effectText(clientId, valid, paces);
  if (misspelled.length === 0 && disputed === '') {
    return { status: 'active', status_message: `Active ${since}: ${effect}` };
  }
  return {
    status: 'invalid',
    status_message: joinSentences(disputed, ...misspelled, `The rest of the row applies ${since}: ${effect}`),
  };
}

function carrierFaults(
  { channel, carrier }: NonNullable<ParsedSenderRow['valid']>,
  carriers: Readonly<Record<Channel, readonly string[]>>,
): string[] {
  const ofChannel = carriers[channel];
  if (carrier === undefined || ofChannel.includes(carrier)) return [];
  const possible = ofChannel.length === 0 ? 'it has none' : `they are ${ofChannel.join(', ')}`;
  const reason = `${carrier} is not among the carriers of the stage for ${channelNames[channel]}: ${possible}.`;
  return [faultText({ attribute: 'destination', reason })];
}

function disputedNumber({ clientId, valid }: ParsedSenderRow, claims: Holders): string {
  if (valid?.inbound !== true) return '';
  const others = [...(claims.get(identityKey(valid.channel, valid.sender.identity)) ?? [])].filter(
    (claimant) => claimant !== clientId,
  );
  if (others.length === 0) return '';
  return `inbound: ${others.map(shownValue).join(', ')} claims this number too, so it belongs to nobody. Set inbound to false in one of the rows.`;
}

function effectText(
  clientId: string,
  { channel, country, carrier, sender, inbound }: NonNullable<ParsedSenderRow['valid']>,
  paces: Paces,
): string {
  const { identity, entity_id, template_id } = sender;
  const what = channel === 'sms' ? 'SMS' : 'WhatsApp messages';
  const where = country === everyCountry ? 'every country' : country;
  const by = carrier === undefined ? '' : ` by ${carrier}`;
  return joinSentences(
    `${what} to ${where} are sent${by} from ${identity}${paceText(channel, sender, paces)}.`,
    exceptions(clientId, country),
    channel === 'sms' && country === everyCountry && isSenderId(identity)
      ? `It is not used for ${[...countriesWithoutSenderIds].join(' and ')}, where sender IDs are not accepted.`
      : '',
    entity_id === undefined || template_id === undefined ? '' : idsText(channel, country, sender),
    inbound ? `Messages to ${identity} belong to this client.` : '',
  );
}

function paceText(channel: Channel, { identity, messages_per_second: own }: Sender, paces: Paces): string {
  const pace = paces.get(identityKey(channel, identity)) ?? own;
  if (pace === undefined) return '';
  return `, at most ${decimalText(pace)} a second${pace === own ? '' : ', which is its pace in another row'}`;
}

/** Describes the rows that are more specific than this one. */
function exceptions(clientId: string, country: string): string {
  const forOneCountry = country === everyCountry ? ' or for one country' : '';
  if (clientId === everyClient) return `A row of a client${forOneCountry} comes first.`;
  return country === everyCountry ? 'A row of this client for one country comes first.' : '';
}

function idsText(
  channel: string,
  country: string,
  { entity_id, template_id }: { readonly entity_id?: string; readonly template_id?: string },
): string {
  if (channel !== 'sms' || (country !== everyCountry && country !== 'IN')) {
    return 'entity_id and template_id have no effect here: only SMS to India has them.';
  }
  return `SMS to India has the entity ${entity_id} and the template ${template_id}.`;
}

/** Reviews every row after each change, because a row can affect other rows' numbers and paces. The table is small. */
export async function reviewSenders(
  ctx: Context<'SENDERS_TABLE' | 'SMS_CARRIER' | 'WHATSAPP_CARRIER'>,
  existingClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
) {
  const carriers = stageCarriersOf(ctx.env);
  return reviewRows(
    ctx,
    senderTable,
    () => allStoredRows(ctx, senderTable),
    async (rows) => {
      const exists = await clientExistence(rows, existingClients);
      const claims = await claimsOf(rows, existingClients);
      const paces = pacesIn(rows.map(parseSenderRow));
      const now = ctx.clock();
      return (row) =>
        senderFeedback(row, { now, clientExists: exists(String(row.client_id)), claims, paces, carriers });
    },
  );
}
