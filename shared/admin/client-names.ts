/** The names of clients, for lists that have their ids. */
import type { AdminDependencies } from './admin-dependencies.ts';
import { readClients } from './clients.ts';

interface ClientNames {
  readonly clients: readonly { readonly client_id: string; readonly name: string }[];
  /** Whether there are more clients than these. */
  readonly more: boolean;
}

const clientsMax = 10_000;

export async function listClientNames(
  dependencies: Pick<AdminDependencies, 'clients'>,
): Promise<ClientNames> {
  const { clients, more } = await readClients(dependencies, clientsMax);
  const names = clients.map(({ client_id, name }) => ({ client_id, name }));
  return { clients: names.toSorted((one, other) => one.name.localeCompare(other.name)), more };
}
