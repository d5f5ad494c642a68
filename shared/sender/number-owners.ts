/** Which client a number belongs to: by the rows of `senders` that are `inbound` (contract, sections 13 and 14). */

import { accessCache } from '../contract/access-cache.ts';
import type { Channel } from '../contract/channels.ts';
import type { EditedRow } from '../edited-table/edited-row.ts';
import type { ExistingClients } from '../edited-table/review-rows.ts';
import type { Clock } from '../platform/clock.ts';
import { CachedReader } from '../platform/expiring-cache.ts';
import { parseSenderRow } from './sender-row.ts';

/** The clients whose valid rows claim a number, by channel and number. */
export type Claims = ReadonlyMap<string, ReadonlySet<string>>;

/** A row of a client that does not exist claims nothing. */
export async function claimsOf(
  rows: readonly EditedRow[],
  existingClients: ExistingClients,
): Promise<Claims> {
  const inbound = rows.map(parseSenderRow).filter(({ valid }) => valid?.inbound === true);
  const existing = await existingClients([...new Set(inbound.map(({ clientId }) => clientId))]);
  const claims = new Map<string, Set<string>>();
  for (const { clientId, valid } of inbound) {
    if (valid === undefined || !existing.has(clientId)) continue;
    const key = claimKey(valid.channel, valid.sender.identity);
    claims.set(key, (claims.get(key) ?? new Set()).add(clientId));
  }
  return claims;
}

export function claimKey(channel: Channel, number: string): string {
  return `${channel} ${number}`;
}

/** The client to which one of our numbers, or the id of one, belongs; undefined if it belongs to none, or to several. */
export type OwnerOfNumber = (number: string, channel: Channel) => Promise<string | undefined>;

/**
 * A number that two clients claim belongs to nobody: a message that reached the wrong client could not be taken back.
 * Reads all rows at most every 45 s: people enter few of them, and a number is written in more than one way.
 */
export function numberOwners(
  store: { allRows(): Promise<readonly EditedRow[]> },
  existingClients: ExistingClients,
  clock: Clock,
): OwnerOfNumber {
  const cache = new CachedReader(
    async () => claimsOf(await store.allRows(), existingClients),
    accessCache,
    clock,
  );
  return async (number, channel) => {
    const claims = await cache.get('');
    const [owner, ...others] = claims?.get(claimKey(channel, number)) ?? [];
    return others.length === 0 ? owner : undefined;
  };
}
