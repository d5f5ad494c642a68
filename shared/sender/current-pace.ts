/**
 * Reads a sender's current pace, for messages that were accepted with another pace. So if an administrator lowers a pace,
 * waiting messages slow down too (contract 14.4).
 */
import type { Channel } from '../contract/channels.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { identityKey, pacesIn, parseSenderRow } from './sender-row.ts';

/** Returns the pace in segments per second; undefined if no row sets one. */
export type CurrentPaceOf = (channel: Channel, identity: string) => Promise<number | undefined>;

/**
 * Reads all rows at most every 45 s, regardless of the number of messages. The table is small, because operators enter its
 * rows by hand.
 */
export function currentPaces(
  store: { allRows(): Promise<readonly EditedRow[]> },
  clock: Clock,
): CurrentPaceOf {
  const readAll = async () => pacesIn((await store.allRows()).map(parseSenderRow));
  const paces = cachedRead(readAll, accessCache, clock);
  return async (channel, identity) => (await paces())?.get(identityKey(channel, identity));
}
