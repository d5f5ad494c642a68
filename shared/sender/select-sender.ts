/**
 * Selects the sender of a message. The most specific row applies; a client counts as more specific than a country (contract
 * 14.2). Invalid rows are skipped. If no row applies, the stage's own sender is used.
 */

import { type Channel, stageCarriersOf } from '../contract/channels.ts';
import { settingsIdOf } from '../contract/mode.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import { type EditedRow, readAllEditedRows, readEditedRows } from '../edited-table/row-editor.dynamo.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { countMetric } from '../platform/log.ts';
import {
  canReach,
  everyCountry,
  holdersIn,
  identityKey,
  type Paces,
  type ParsedSenderRow,
  pacesIn,
  parseSenderRow,
  type Sender,
  senderTable,
} from './sender-row.ts';

export interface Addressed {
  readonly channel: Channel;
  /** The recipient's country in ISO 3166-1 alpha-2; absent for international numbers, such as satellite phones. */
  readonly country?: string | undefined;
  /** The sender in the request, which is used whatever the rows contain. */
  readonly from?: string | undefined;
}

/** The selected senders. A carrier without an entry uses its default sender. */
interface SelectedSenders {
  /**
   * The sender for the channel's first carrier. It names this carrier, because a deploy may change the order before the
   * message is sent.
   */
  readonly sender?: Sender & { readonly carrier?: string };
  /** The senders for the other carriers, by the carrier's name. */
  readonly senders?: Readonly<Record<string, Sender>>;
}

export type SelectSender = (addressed: Addressed) => SelectedSenders;

/**
 * Caches a client's rows, and all rows, for 45 s each, so that an edit takes effect within 60 s. All rows are needed for
 * `*`, for the senders of other clients and for the paces. The table is small.
 */
const cachedRows = oncePerContext(
  (context: Context<'SENDERS_TABLE' | 'STAGE_SMS_SENDER' | 'SMS_CARRIER' | 'WHATSAPP_CARRIER'>) => {
    return {
      stage: stageSendersOf(context.env),
      ofClients: cachedRead(
        async (clientId: string) => parse(context, await readEditedRows(context, senderTable, clientId)),
        accessCache,
        context.clock,
      ),
      ofAll: cachedRead(
        async () => parsedRows(context, await readAllEditedRows(context, senderTable)),
        accessCache,
        context.clock,
      ),
    };
  },
);

/** Returns the senders of a client. Reads the client's rows and all rows at once. */
export async function sendersOf(
  context: Context<'SENDERS_TABLE' | 'STAGE_SMS_SENDER' | 'SMS_CARRIER' | 'WHATSAPP_CARRIER'>,
  dataId: string,
) {
  const clientId = settingsIdOf(dataId);
  const { stage, ofClients, ofAll } = cachedRows(context);
  const [own = [], all] = await Promise.all([ofClients(clientId), ofAll()]);
  const rows = [...own, ...(all?.forEveryone ?? [])];
  return {
    select: (addressed: Addressed) => selectSender(rows, addressed, stage, all?.paces),
    /** True if the rows give this sender only to other clients. */
    isOfOthers: (sender: string): boolean => {
      // Only an SMS can have `from`.
      const key = identityKey('sms', sender);
      const holders = all?.holders.get(key);
      if (holders === undefined || holders.has(clientId) || holders.has(everyClient)) return false;
      return !own.some(
        ({ given }) => given !== undefined && identityKey(given.channel, given.identity) === key,
      );
    },
  };
}

/** Returns the stage's own sender for SMS, and the stage's carriers in order of preference. */
function stageSendersOf(
  env: Context<'SENDERS_TABLE' | 'STAGE_SMS_SENDER' | 'SMS_CARRIER' | 'WHATSAPP_CARRIER'>['env'],
) {
  return { sms: env.STAGE_SMS_SENDER, carriers: stageCarriersOf(env) };
}

function parsedRows(
  context: Context<'SENDERS_TABLE' | 'STAGE_SMS_SENDER' | 'SMS_CARRIER' | 'WHATSAPP_CARRIER'>,
  rows: readonly EditedRow[],
) {
  const parsed = rows.map(parseSenderRow);
  const ofEveryone = rows.filter(({ client_id }) => client_id === everyClient);
  const { sms } = stageSendersOf(context.env);
  // Every client can use the stage's sender, unless a row gives it to other clients.
  const ofStage =
    sms === undefined ? [] : [{ clientId: everyClient, given: { channel: 'sms', identity: sms } } as const];
  return {
    forEveryone: parse(context, ofEveryone),
    holders: holdersIn([...parsed, ...ofStage]),
    paces: pacesIn(parsed),
  };
}

/** Parses rows, and logs the values that are ignored. */
function parse(
  context: Context<'SENDERS_TABLE' | 'STAGE_SMS_SENDER' | 'SMS_CARRIER' | 'WHATSAPP_CARRIER'>,
  rows: readonly EditedRow[],
): readonly ParsedSenderRow[] {
  return rows.map((row) => {
    const parsed = parseSenderRow(row);
    for (const value of parsed.ignored) {
      const { clientId: client_id } = parsed;
      context.log.warn('invalid sender ignored', {
        client_id,
        destination: String(row.destination),
        ...value,
      });
      countMetric('InvalidRow');
    }
    return parsed;
  });
}

/**
 * @param rows - the rows of the client and of `*`
 * @param paces - the paces of all clients
 */
export function selectSender(
  rows: readonly ParsedSenderRow[],
  addressed: Addressed,
  stage: ReturnType<typeof stageSendersOf>,
  paces: Paces = pacesIn(rows),
): SelectedSenders {
  const { channel } = addressed;
  const [first, ...others] = stage.carriers[channel];
  const rowsOf = (name: string | undefined) => rows.filter(({ valid }) => (valid?.carrier ?? first) === name);
  const sender = selectAmong(rowsOf(first), addressed) ?? lastResort(addressed, stage);
  const senders = others.flatMap((name) => {
    const selected = selectAmong(rowsOf(name), addressed) ?? namedWithPace(addressed, paces);
    return selected === undefined ? [] : [[name, withPace(selected, channel, paces)] as const];
  });
  return {
    ...(sender === undefined
      ? {}
      : {
          sender: { ...withPace(sender, channel, paces), carrier: first },
        }),
    ...(senders.length === 0 ? {} : { senders: Object.fromEntries(senders) }),
  };
}

/**
 * Sets the lowest pace that any row gives the sender. Carriers count a sender's messages to all countries together, so the
 * pace applies even if another row, or no row, selected the sender.
 */
function withPace(sender: Sender, channel: Channel, paces: Paces): Sender {
  const lowest = paces.get(identityKey(channel, sender.identity));
  if (lowest === undefined) return sender;
  // The client's own row may be newer than the cache of all rows.
  return { ...sender, messages_per_second: Math.min(lowest, sender.messages_per_second ?? lowest) };
}

/** If the sender in the request has a pace, returns the sender for carriers without a matching row. */
function namedWithPace({ channel, from }: Addressed, paces: Paces): Sender | undefined {
  return from !== undefined && paces.has(identityKey(channel, from)) ? { identity: from } : undefined;
}

function lastResort(
  { channel, from }: Addressed,
  { sms }: ReturnType<typeof stageSendersOf>,
): Sender | undefined {
  const identity = from ?? (channel === 'sms' ? sms : undefined);
  return identity === undefined ? undefined : { identity };
}

function selectAmong(
  rows: readonly ParsedSenderRow[],
  { channel, country, from }: Addressed,
): Sender | undefined {
  const candidates = rows
    .filter(({ valid }) => valid?.channel === channel && [country, everyCountry].includes(valid.country))
    .toSorted((one, other) => specificity(other) - specificity(one))
    .flatMap(({ valid }) => (valid === undefined ? [] : [valid.sender]));
  const row = candidates.find(({ identity }) =>
    from === undefined
      ? canReach(identity, { channel, country: country ?? '' })
      : // If a row contains the requested sender, the row's spelling and ids are used.
        identityKey(channel, identity) === identityKey(channel, from),
  );
  return row && forCountry(row, country);
}

/** Ranks a row by client, then country, then carrier. A specific value ranks above `*` or an absent one. */
function specificity({ clientId, valid }: ParsedSenderRow): number {
  const ofClient = clientId === everyClient ? 0 : 4;
  const ofCountry = valid?.country === everyCountry ? 0 : 2;
  return ofClient + ofCountry + (valid?.carrier === undefined ? 0 : 1);
}

/** Removes the ids that only messages to India need. */
function forCountry({ entity_id, template_id, ...sender }: Sender, country: string | undefined): Sender {
  if (country !== 'IN' || entity_id === undefined || template_id === undefined) return sender;
  return { ...sender, entity_id, template_id };
}
