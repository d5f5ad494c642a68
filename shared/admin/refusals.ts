/**
 * Shows administrators the refused requests: how many, by client, endpoint and reason, and the latest of each in
 * full.
 */

import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import { clientIdIn } from '../contract/mode.ts';
import type { Refusal } from '../http/record-refusals.ts';
import { countsKeptDays, type RefusalCount } from '../http/refusals.dynamo.ts';
import { periodsBetween } from '../usage/period.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf, readClients } from './find-client.ts';
import { keyText, utcTime } from './request-fields.ts';

export const refusalsQuery = z.object({
  client_id: z.optional(keyText),
  since: z.optional(utcTime),
  until: z.optional(utcTime),
});

export interface RefusalView extends RefusalCount {
  /** Null if it is older than a day. */
  readonly last: Refusal | null;
}

/** Each has a row for each hour. */
const clientsMax = 1000;
const hoursByDefault = 24;

export async function listRefusals(
  dependencies: Pick<AdminDependencies, 'clients' | 'refusals' | 'clock' | 'mode'>,
  query: z.output<typeof refusalsQuery>,
) {
  const { ids, more } =
    query.client_id === undefined
      ? await allIds(dependencies)
      : { ids: [await clientIdOf(dependencies, query.client_id)], more: false };
  const counts = await dependencies.refusals.counts(ids, hoursOf(query, dependencies.clock()));
  const found = await dependencies.refusals.findMany(counts.map(({ last_request_id }) => last_request_id));
  const byId = new Map(found.map((refusal) => [refusal.request_id, refusal]));
  return {
    // The newest hour first, and in it the most first.
    refusals: counts
      .map((count): RefusalView => ({ ...count, last: lastOf(count, byId) }))
      .toSorted((one, other) =>
        one.hour === other.hour ? other.at_least - one.at_least : one.hour < other.hour ? 1 : -1,
      ),
    // True if some clients were not read.
    more_clients: more,
  };
}

async function allIds({ clients, mode }: Pick<AdminDependencies, 'clients' | 'mode'>) {
  const read = await readClients({ clients }, clientsMax);
  return { ids: read.clients.map(({ client_id }) => clientIdIn(mode, client_id)), more: read.more };
}

/** Returns the latest refusal. Checks its client, because a caller can choose the id of a request. */
function lastOf(
  { client_id, last_request_id }: RefusalCount,
  byId: ReadonlyMap<string, Refusal>,
): Refusal | null {
  const found = byId.get(last_request_id);
  return found?.client_id === client_id ? found : null;
}

function hoursOf({ since, until }: z.output<typeof refusalsQuery>, now: Date): string[] {
  const to = until === undefined ? now : new Date(until);
  const from = since === undefined ? new Date(to.getTime() - hoursByDefault * 3_600_000) : new Date(since);
  // The hour of the end contains refusals too. This many hours are kept, and one more has begun.
  const periods = periodsBetween('hour', from, new Date(to.getTime() + 1), countsKeptDays * 24 + 1);
  if (periods !== undefined) return periods.map(({ name }) => name);
  throw new GatewayError('invalid_request', `Refusals are counted for ${countsKeptDays} days.`, {
    details: [{ field: 'since', message: `must be at most ${countsKeptDays} days before until` }],
  });
}
