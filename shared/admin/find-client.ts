/** Finds clients by id or name, for everything that an administrator does with one. */
import type { Client } from '../client/client.ts';
import { noSuchClient } from '../client/client-admin.ts';
import { GatewayError } from '../contract/errors.ts';
import type { AdminDependencies } from './admin-dependencies.ts';

/** @throws GatewayError `not_found` */
export async function requireClient(
  dependencies: Pick<AdminDependencies, 'clients'>,
  clientId: string,
): Promise<Client> {
  const client = await dependencies.clients.find(clientId);
  if (client === undefined) throw noSuchClient();
  return client;
}

const clientsPerRead = 500;

/** All clients, or the first ones if there are more than enough: no index has their names. */
export async function readClients(
  { clients }: Pick<AdminDependencies, 'clients'>,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ readonly clients: readonly Client[]; readonly more: boolean }> {
  const found: Client[] = [];
  let after: string | undefined;
  do {
    const page = await clients.list({ limit: clientsPerRead, after });
    found.push(...page.clients);
    after = page.next;
  } while (after !== undefined && found.length < enough);
  return { clients: found, more: after !== undefined };
}

/** Longer than any id. */
const nameMax = 100;

/**
 * Finds a client by its id or by its name, ignoring case, and returns its id.
 *
 * @throws GatewayError if there is none, or if several have the name; an empty result would be mistaken for a client
 * without entries.
 */
export async function clientIdOf(
  dependencies: Pick<AdminDependencies, 'clients'>,
  idOrName: string,
): Promise<string> {
  const wanted = idOrName.trim();
  const noneFound = new GatewayError('not_found', `There is no client ${wanted.slice(0, nameMax)}.`);
  if (wanted === '' || wanted.length > nameMax) throw noneFound;
  if ((await dependencies.clients.find(wanted)) !== undefined) return wanted;
  const nameOf = (text: string): string => text.trim().toLowerCase();
  const { clients } = await readClients(dependencies);
  const found = clients
    .filter(({ name }) => nameOf(name) === nameOf(wanted))
    .map(({ client_id }) => client_id);
  const [only, ...others] = found;
  if (only === undefined) throw noneFound;
  if (others.length === 0) return only;
  throw new GatewayError('invalid_request', `Several clients are called ${wanted}: ${found.join(', ')}.`, {
    details: [{ field: 'client_id', message: 'Give the id of one of them.' }],
  });
}

/** The names of clients, for lists that have their ids. */
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
