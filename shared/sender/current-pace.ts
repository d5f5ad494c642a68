/**
 * Reads the current pace of a sender, for messages that were accepted with a different pace. If an administrator lowers a
 * pace, waiting messages slow down too (contract 14.4).
 */
import type { Channel } from '../contract/channels.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { identityKey, pacesIn, parseSenderRow } from './sender-row.ts';

/** Returns segments per second, or undefined if no row gives the sender a pace. */
export type CurrentPaceOf = (channel: Channel, identity: string) => Promise<number | undefined>;

/**
 * Reads all rows at most every 45 s, however many messages and senders there are. The table is small, because
 * operators enter its rows by hand.
 */
export function currentPaces(
  store: { allRows(): Promise<readonly EditedRow[]> },
  clock: Clock,
): CurrentPaceOf {
  const readAll = async () => pacesIn((await store.allRows()).map(parseSenderRow));
  const paces = cachedRead(readAll, accessCache, clock);
  return async (channel, identity) => (await paces())?.get(identityKey(channel, identity));
}
