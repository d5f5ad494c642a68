/**
 * Finds the client that owns a number, and the clients that may send from it, in the rows of `senders` (contract 13.1 and
 * 14.3).
 */
import type { Channel } from '../contract/channels.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { type Holders, holdersIn, identityKey, parseSenderRow } from './sender-row.ts';

/** Returns the clients whose valid rows claim a number. A row whose client does not exist claims nothing. */
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
 * Finds the client that owns a number. A number that two clients claim belongs to neither: a message that reached the
 * wrong client could not be taken back. Reads all rows at most every 45 s: the table is small, and the same number
 * can be written in several ways.
 */
export function numberOwners(
  store: { allRows(): Promise<readonly EditedRow[]> },
  existingClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  clock: Clock,
) {
  const known = cachedRead(readAll, accessCache, clock);
  return {
    /**
     * Returns the client that owns one of our numbers or number ids. Returns undefined if no client, or more than one, owns
     * it.
     */
    async ownerOf(number: string, channel: Channel): Promise<string | undefined> {
      const [owner, ...others] = (await known())?.claims.get(identityKey(channel, number)) ?? [];
      return others.length === 0 ? owner : undefined;
    },
    /**
     * Returns the clients to which rows give this number. Returns undefined if no row names the number: any client may use
     * it.
     */
    async holdersOf(number: string, channel: Channel): Promise<ReadonlySet<string> | undefined> {
      return (await known())?.holders.get(identityKey(channel, number));
    },
  };

  async function readAll() {
    const rows = await store.allRows();
    return { claims: await claimsOf(rows, existingClients), holders: holdersIn(rows.map(parseSenderRow)) };
  }
}
