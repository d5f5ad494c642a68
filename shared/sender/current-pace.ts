/**
 * The pace of a sender now, for messages that were accepted with another one: an administrator who lowers a pace slows down
 * what waits too (contract 14.4).
 */
import type { Channel } from '../contract/channels.ts';
import type { EditedRow } from '../edited-table/edited-row.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';
import { identityKey, pacesIn, parseSenderRow } from './sender-row.ts';

export interface CurrentPace {
  readonly perSecond: number;
  readonly readAtMs: number;
}

/** Undefined where no row gives the sender a pace. */
export type CurrentPaceOf = (channel: Channel, identity: string) => Promise<CurrentPace | undefined>;

/** Reads all rows at most every 45 s, whatever the number of messages and senders: people enter few of them. */
export function currentPaces(
  store: { allRows(): Promise<readonly EditedRow[]> },
  clock: Clock,
): CurrentPaceOf {
  const cache = new CachedReader(readAll, accessCache, clock);
  return async (channel, identity) => {
    const read = await cache.get('');
    const perSecond = read?.paces.get(identityKey(channel, identity));
    return read && perSecond !== undefined ? { perSecond, readAtMs: read.readAtMs } : undefined;
  };

  async function readAll() {
    const readAtMs = clock().getTime();
    return { readAtMs, paces: pacesIn((await store.allRows()).map(parseSenderRow)) };
  }
}
