/** Finds clients by id or name, for all operations of administrators on a client. */
import type { Client } from '../client/client.ts';
import { noSuchClient } from '../client/client-admin.ts';
import { clientsPage, findClient } from '../client/client-store.dynamo.ts';
import { GatewayError } from '../contract/errors.ts';
import { clientIdIn, modeOf, modes, nameIn, settingsIdOf } from '../contract/mode.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import { type EditedTable, readEditedRows } from '../edited-table/row-editor.dynamo.ts';
import { closestName } from '../platform/closest-name.ts';
import type { AdminContext } from './admin-context.ts';

/** @throws GatewayError `not_found` */
export async function requireClient(ctx: AdminContext, clientId: string): Promise<Client> {
  const client = await findClient(ctx, clientId);
  if (client === undefined) throw noSuchClient();
  return client;
}

/**
 * Returns the client for a change of its settings.
 *
 * @throws GatewayError `not_found`, or `invalid_request` for the id of test data, which has the settings of its client
 */
export async function requireSettingsOwner(ctx: AdminContext, clientId: string): Promise<Client> {
  const client = await requireClient(ctx, clientId);
  if (modeOf(clientId) === 'live') return client;
  throw new GatewayError(
    'invalid_request',
    `${clientId} is the test data of ${settingsIdOf(clientId)} and has its settings: change them there.`,
  );
}

/** Returns the id of the client's test data if `test` is true, else the id unchanged. */
export function ofMode(clientId: string, test: boolean): string {
  return test ? clientIdIn('test', clientId) : clientId;
}

const clientsPerRead = 500;

/** Reads all clients, or the first clients if there are too many, because no index contains the names. */
export async function readClients(
  ctx: AdminContext,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ readonly clients: readonly Client[]; readonly more: boolean }> {
  const found: Client[] = [];
  let after: string | undefined;
  do {
    const page = await clientsPage(ctx, { limit: clientsPerRead, after });
    found.push(...page.clients);
    after = page.next;
  } while (after !== undefined && found.length < enough);
  return { clients: found, more: after !== undefined };
}

/** Longer than any id. */
const nameMax = 100;
const suggestedMax = 3;

export const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

/**
 * Finds a client by its id or by its name, ignoring case, and returns its id.
 *
 * @throws GatewayError if there is none, with the clients that may be meant, or if several have the name; an empty result
 * would be mistaken for a client without entries.
 */
export async function clientIdOf(ctx: AdminContext, idOrName: string): Promise<string> {
  const wanted = idOrName.trim();
  const characters = [...wanted];
  const noneFound = `There is no client ${characters.slice(0, nameMax).join('')}.`;
  if (wanted === '' || characters.length > nameMax) throw new GatewayError('not_found', noneFound);
  if ((await findClient(ctx, wanted)) !== undefined) return wanted;
  const { clients } = await readClients(ctx);
  const found = clients
    .flatMap(({ client_id, name }) =>
      modes.map((mode) => ({ client_id: clientIdIn(mode, client_id), name: nameIn(mode, name) })),
    )
    .filter(({ name }) => folded(name) === folded(wanted))
    .map(({ client_id }) => client_id);
  const [only, ...others] = found;
  if (only === undefined) {
    const meant = similarClients(clients, wanted);
    const suggestion = meant.length === 0 ? '' : ` Did you mean ${meant.join(', or ')}?`;
    throw new GatewayError('not_found', `${noneFound}${suggestion}`);
  }
  if (others.length === 0) return only;
  throw new GatewayError('invalid_request', `Several clients are called ${wanted}: ${found.join(', ')}.`, {
    details: [{ field: 'client_id', message: 'Give the id of one of them.' }],
  });
}

/** Returns the clients whose id or name contains the text; if there are none, the client with the most similar name. */
function similarClients(clients: readonly Client[], wanted: string): string[] {
  const part = folded(wanted);
  const having = clients.filter(({ client_id, name }) => `${client_id} ${folded(name)}`.includes(part));
  const closest = closestName(
    wanted,
    clients.map(({ name }) => name),
  );
  const meant = having.length > 0 ? having : clients.filter(({ name }) => name === closest);
  return meant.slice(0, suggestedMax).map(({ client_id, name }) => `${name} (${client_id})`);
}

/** Like `clientIdOf`, but also accepts `*`, the id of rows for every client. */
export async function clientIdOrAll(ctx: AdminContext, idOrName: string): Promise<string> {
  return idOrName === everyClient ? everyClient : clientIdOf(ctx, idOrName);
}

/**
 * Like `clientIdOrAll`, but also accepts any `client_id` that a row contains, so that rows of clients that do not exist can
 * be shown and removed.
 */
export async function rowOwnerOf(ctx: AdminContext, table: EditedTable, idOrName: string): Promise<string> {
  const rows = await readEditedRows(ctx, table, idOrName);
  return rows.length > 0 ? idOrName : clientIdOrAll(ctx, idOrName);
}

/**
 * Returns a function that finds a name by the id of a client or of its test data; undefined if the client does not exist.
 */
export async function readClientNames(ctx: AdminContext): Promise<(clientId: string) => string | undefined> {
  const { clients } = await readClients(ctx);
  const names = new Map(clients.map(({ client_id, name }) => [client_id, name]));
  return (clientId) => {
    const name = names.get(settingsIdOf(clientId));
    return name === undefined ? undefined : nameIn(modeOf(clientId), name);
  };
}

const clientsMax = 10_000;

export async function listClientNames(ctx: AdminContext) {
  const { clients, more } = await readClients(ctx, clientsMax);
  const names = clients.map(({ client_id, name }) => ({ client_id, name }));
  return { clients: names.toSorted((one, other) => one.name.localeCompare(other.name)), more };
}
