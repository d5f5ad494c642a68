/**
 * Selects the sender of a message. The most specific row wins, client before country (contract 14.2). An invalid row
 * is skipped; the stage's own sender is the last resort.
 */

import type { Channel, StageCarriers } from '../contract/channels.ts';
import { settingsIdOf } from '../contract/mode.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import type { EditedRow, IgnoredValue } from '../edited-table/edited-row.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
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
} from './sender-row.ts';

export interface Addressed {
  readonly channel: Channel;
  /** The country of the recipient, ISO 3166-1 alpha-2; absent for a number of no single country. */
  readonly country?: string | undefined;
  /** The sender that the request names: it is used whatever the rows say. */
  readonly from?: string | undefined;
}

/** The selected senders. A carrier without an entry uses its own sender. */
interface SelectedSenders {
  /** At the first carrier of the channel, which it names: a deploy may change the order before the message goes out. */
  readonly sender?: Sender & { readonly carrier?: string };
  /** At the others, by their names. */
  readonly senders?: Readonly<Record<string, Sender>>;
}

export type SelectSender = (addressed: Addressed) => SelectedSenders;

export interface StageSenders {
  /** The stage's own sender for SMS, which is the last resort. */
  readonly sms: string | undefined;
  /** The carriers of each channel in order of preference: a row that names none is of the first. */
  readonly carriers: StageCarriers;
}

interface ClientSenders {
  readonly select: SelectSender;
  /** True if the rows give this sender to other clients and not to this one. */
  readonly isOfOthers: (sender: string) => boolean;
}

/** Returns the senders of a client from rows that were read at most 45 s ago. */
export type SendersOf = (clientId: string) => Promise<ClientSenders>;

/** A value that is ignored, and reported to the operator. */
export interface InvalidSender extends IgnoredValue {
  readonly client_id: string;
  readonly destination: string;
}

/**
 * Reads the rows of a client, and all rows, at most every 45 s each, so that an edit takes effect within 60 s. Both
 * reads run at the same time. All rows are needed for the rows of `*`, the senders of other clients, and the paces;
 * the table is small.
 */
export function senderReader(
  store: {
    rowsOf(clientId: string): Promise<readonly EditedRow[]>;
    allRows(): Promise<readonly EditedRow[]>;
  },
  stage: StageSenders,
  clock: Clock,
  report: (invalid: InvalidSender) => void,
): SendersOf {
  const ofClients = cachedRead(
    async (clientId: string) => parse(await store.rowsOf(clientId)),
    accessCache,
    clock,
  );
  const ofAll = cachedRead(readAll, accessCache, clock);
  return async (dataId) => {
    const clientId = settingsIdOf(dataId);
    const [own = [], all] = await Promise.all([ofClients(clientId), ofAll()]);
    const rows = [...own, ...(all?.forEveryone ?? [])];
    return {
      select: (addressed) => selectSender(rows, addressed, stage, all?.paces),
      isOfOthers: (sender) => {
        // An SMS alone names its sender.
        const key = identityKey('sms', sender);
        const holders = all?.holders.get(key);
        if (holders === undefined || holders.has(clientId) || holders.has(everyClient)) return false;
        return !own.some(
          ({ given }) => given !== undefined && identityKey(given.channel, given.identity) === key,
        );
      },
    };
  };

  async function readAll() {
    const rows = await store.allRows();
    const parsed = rows.map(parseSenderRow);
    const ofEveryone = rows.filter(({ client_id }) => client_id === everyClient);
    // The stage's sender is available to every client unless a row says otherwise.
    const ofStage =
      stage.sms === undefined
        ? []
        : [{ clientId: everyClient, given: { channel: 'sms', identity: stage.sms } } as const];
    return {
      forEveryone: parse(ofEveryone),
      holders: holdersIn([...parsed, ...ofStage]),
      paces: pacesIn(parsed),
    };
  }

  function parse(rows: readonly EditedRow[]): readonly ParsedSenderRow[] {
    return rows.map((row) => {
      const parsed = parseSenderRow(row);
      for (const value of parsed.ignored)
        report({ client_id: parsed.clientId, destination: String(row.destination), ...value });
      return parsed;
    });
  }
}

/**
 * @param rows - of the client and of `*`
 * @param paces - of all clients
 */
export function selectSender(
  rows: readonly ParsedSenderRow[],
  addressed: Addressed,
  stage: StageSenders,
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
          sender: { ...withPace(sender, channel, paces), ...(first === undefined ? {} : { carrier: first }) },
        }),
    ...(senders.length === 0 ? {} : { senders: Object.fromEntries(senders) }),
  };
}

/**
 * Applies the lowest pace of any row with the sender. Carriers count a sender's messages to all countries, so the
 * pace also applies to messages that another row, or no row, selected.
 */
function withPace(sender: Sender, channel: Channel, paces: Paces): Sender {
  const lowest = paces.get(identityKey(channel, sender.identity));
  if (lowest === undefined) return sender;
  // The client's row may have been read later than all rows.
  return { ...sender, messages_per_second: Math.min(lowest, sender.messages_per_second ?? lowest) };
}

/** Returns the named sender for a carrier without a matching row, if the sender has a pace. */
function namedWithPace({ channel, from }: Addressed, paces: Paces): Sender | undefined {
  return from !== undefined && paces.has(identityKey(channel, from)) ? { identity: from } : undefined;
}

function lastResort({ channel, from }: Addressed, { sms }: StageSenders): Sender | undefined {
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
      : // The spelling and the ids of the sender that is named, if an administrator entered them.
        identityKey(channel, identity) === identityKey(channel, from),
  );
  return row && forCountry(row, country);
}

/** Ranks a row: client before country, and of two equal rows the one that names the carrier. */
function specificity({ clientId, valid }: ParsedSenderRow): number {
  const ofClient = clientId === everyClient ? 0 : 4;
  const ofCountry = valid?.country === everyCountry ? 0 : 2;
  return ofClient + ofCountry + (valid?.carrier === undefined ? 0 : 1);
}

/** Removes the ids that only messages to India have. */
function forCountry({ entity_id, template_id, ...sender }: Sender, country: string | undefined): Sender {
  if (country !== 'IN' || entity_id === undefined || template_id === undefined) return sender;
  return { ...sender, entity_id, template_id };
}
