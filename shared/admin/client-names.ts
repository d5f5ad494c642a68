/** The names of clients, for lists that have their ids. */
import type { AdminDependencies } from './admin-dependencies.ts';

export interface ClientNames {
  readonly clients: readonly { readonly client_id: string; readonly name: string }[];
  /** Whether there are more clients than these. */
  readonly more: boolean;
}

const clientsMax = 10_000;
const clientsPerRead = 500;

export async function listClientNames({ clients }: Pick<AdminDependencies, 'clients'>): Promise<ClientNames> {
  const names: ClientNames['clients'][number][] = [];
  let after: string | undefined;
  do {
    const page = await clients.clients.list({ limit: clientsPerRead, after });
    names.push(...page.clients.map(({ client_id, name }) => ({ client_id, name })));
    after = page.next;
  } while (after !== undefined && names.length < clientsMax);
  return {
    clients: names.toSorted((one, other) => one.name.localeCompare(other.name)),
    more: after !== undefined,
  };
}
