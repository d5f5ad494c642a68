/** All messages that a search finds, page by page, for a file that must be complete. */
import { clientIdIn } from '../contract/mode.ts';
import { unassignedClientId } from '../message/receive/find-owner.ts';
import { addDays } from '../platform/clock.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf, readClients } from './find-client.ts';
import { type FoundMessage, type MessageQuery, searchMessages } from './messages.ts';

type Search = Omit<MessageQuery, 'limit' | 'cursor'>;

export interface ExportedPage {
  readonly messages: readonly FoundMessage[];
  /** The clients whose messages are already complete, and all that are to be exported. */
  readonly clientsDone: number;
  readonly clients: number;
}

const pageSize = 100;

/**
 * Without a client or a recipient: the messages of one client after the other, because a search of all covers only the
 * clients with the most messages. Messages that are accepted meanwhile are left out, so that the export ends.
 */
export async function* exportMessages(
  dependencies: AdminDependencies,
  query: Search,
): AsyncGenerator<ExportedPage> {
  const { until = dependencies.clock().toISOString() } = query;
  const searches = await searchesOf(dependencies, { ...query, until });
  for (const [clientsDone, search] of searches.entries()) {
    let cursor: string | undefined;
    do {
      const page = await searchMessages(dependencies, { ...search, limit: pageSize, cursor });
      cursor = page.next_cursor;
      yield {
        messages: page.messages,
        clientsDone: cursor === undefined ? clientsDone + 1 : clientsDone,
        clients: searches.length,
      };
    } while (cursor !== undefined);
  }
}

async function searchesOf(
  dependencies: AdminDependencies,
  query: Search & { readonly until: string },
): Promise<readonly Search[]> {
  const { client_id, recipient, until } = query;
  if (client_id !== undefined) return [{ ...query, client_id: await clientIdOf(dependencies, client_id) }];
  if (recipient !== undefined) return [query];
  const { clients } = await readClients(dependencies);
  const ids = [...clients.map((client) => client.client_id), unassignedClientId].map((id) =>
    clientIdIn(dependencies.mode, id),
  );
  // The same time as that of a search of all clients.
  const { since = addDays(new Date(until), -1).toISOString() } = query;
  return ids.map((id) => ({ ...query, since, client_id: id }));
}
