/**
 * Finds the client that owns a number, and the clients that may send from it, by the rows of `senders` (contract 13.1 and
 * 14.3).
 */
import type { Channel } from '../contract/channels.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { type Holders, holdersIn, identityKey, parseSenderRow } from './sender-row.ts';

/** Returns the clients whose valid rows claim a number as theirs. A row of an unknown client claims no number. */
export async function claimsOf(
  rows: readonly EditedRow[],
  existingClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Holders> {
  const inbound = rows.map(parseSenderRow).filter(({ valid }) => valid?.inbound === true);
  const existing = await existingClients([...new Set(inbound.map(({ clientId }) => clientId))]);
  return holdersIn(inbound.filter(({ clientId }) => existing.has(clientId)));
}

export type NumberOwners = ReturnType<typeof numberOwners>;

/**
 * Finds the client that owns a number. If two clients claim it, neither owns it, because a message delivered to the wrong
 * client cannot be taken back. Reads all rows at most every 45 s, because the table is small and a number can be written in
 * several ways.
 */
export function numberOwners(
  store: { allRows(): Promise<readonly EditedRow[]> },
  existingClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  clock: Clock,
) {
  const known = cachedRead(readAll, accessCache, clock);
  return {
    /**
     * Returns the client that owns one of our numbers or number ids; undefined if no client or several clients claim it.
     */
    async ownerOf(number: string, channel: Channel): Promise<string | undefined> {
      const [owner, ...others] = (await known())?.claims.get(identityKey(channel, number)) ?? [];
      return others.length === 0 ? owner : undefined;
    },
    /** Returns the clients to which rows give this number; undefined if no row names it, so that any client may use it. */
    async holdersOf(number: string, channel: Channel): Promise<ReadonlySet<string> | undefined> {
      return (await known())?.holders.get(identityKey(channel, number));
    },
  };

  async function readAll() {
    const rows = await store.allRows();
    return { claims: await claimsOf(rows, existingClients), holders: holdersIn(rows.map(parseSenderRow)) };
  }
}
