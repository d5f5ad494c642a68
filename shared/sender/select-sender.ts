/**
 * Selects what a message is sent from: the most specific row wins, client before country (contract, section 14). A row
 * that is not valid is passed over, and the next one in order is used; the stage's own sender is the last resort.
 */

import { accessCache } from '../contract/access-cache.ts';
import type { Channel } from '../contract/channels.ts';
import { everyClient } from '../contract/limit-rows.ts';
import type { EditedRow } from '../edited-table/edited-row.ts';
import type { Clock } from '../platform/clock.ts';
import { CachedReader } from '../platform/expiring-cache.ts';
import { canReach, everyCountry, type ParsedSenderRow, parseSenderRow, type Sender } from './sender-row.ts';

export interface Addressed {
  readonly channel: Channel;
  /** Of the recipient, ISO 3166-1 alpha-2; absent for a number of no single country. */
  readonly country?: string | undefined;
  /** The sender that the request names: it is used whatever the rows say. */
  readonly from?: string | undefined;
}

/** Undefined where the carrier has a sender of its own. */
export type SelectSender = (addressed: Addressed) => Sender | undefined;

/** The rows of a client, read at most 45 s ago. */
export type SendersOf = (clientId: string) => Promise<SelectSender>;

/** A value that is ignored, and reported to the operator. */
export interface InvalidSender {
  readonly client_id: string;
  readonly destination: string;
  readonly attribute: string;
  readonly reason: string;
}

/**
 * Reads the rows of a client and of `*` at most every 45 s each, so that an edit takes effect within 60 s. Both are read
 * at once: a send waits for one read, of half a read unit for each.
 */
export function senderReader(
  store: { rowsOf(clientId: string): Promise<readonly EditedRow[]> },
  stageSmsSender: string | undefined,
  clock: Clock,
  report: (invalid: InvalidSender) => void,
): SendersOf {
  const cache = new CachedReader(read, accessCache, clock);
  return async (clientId) => {
    const [own = [], forAll = []] = await Promise.all([cache.get(clientId), cache.get(everyClient)]);
    return (addressed) => selectSender([...own, ...forAll], addressed, stageSmsSender);
  };

  async function read(clientId: string): Promise<readonly ParsedSenderRow[]> {
    const rows = await store.rowsOf(clientId);
    return rows.map((row) => {
      const parsed = parseSenderRow(row);
      for (const { attribute, reason } of parsed.ignored) {
        report({ client_id: clientId, destination: String(row.destination), attribute, reason });
      }
      return parsed;
    });
  }
}

/** @param rows - of the client and of `*` */
export function selectSender(
  rows: readonly ParsedSenderRow[],
  { channel, country, from }: Addressed,
  stageSmsSender: string | undefined,
): Sender | undefined {
  const candidates = rows
    .filter(({ valid }) => valid?.channel === channel && [country, everyCountry].includes(valid.country))
    .toSorted((one, other) => specificity(other) - specificity(one))
    .flatMap(({ valid }) => (valid === undefined ? [] : [valid.sender]));
  if (from !== undefined) {
    // The pace and the ids of the sender that is named, if an administrator entered them.
    return forCountry(candidates.find(({ identity }) => identity === from) ?? { identity: from }, country);
  }
  const row = candidates.find(({ identity }) => canReach(identity, { channel, country: country ?? '' }));
  if (row !== undefined) return forCountry(row, country);
  return channel === 'sms' && stageSmsSender !== undefined ? { identity: stageSmsSender } : undefined;
}

/** Client before country. */
function specificity({ clientId, valid }: ParsedSenderRow): number {
  return (clientId === everyClient ? 0 : 2) + (valid?.country === everyCountry ? 0 : 1);
}

/** Only messages to India have the ids. */
function forCountry({ entity_id, template_id, ...sender }: Sender, country: string | undefined): Sender {
  if (country !== 'IN' || entity_id === undefined || template_id === undefined) return sender;
  return { ...sender, entity_id, template_id };
}
