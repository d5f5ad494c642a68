/** An administrator's operations on clients: each change is in the activity log, each new secret is shown once. */
import { recordActivity } from '../activity/record-activity.ts';
import type { Client } from '../client/client.ts';
import * as clientAdmin from '../client/client-admin.ts';
import type { PermissionChange } from '../client/client-store.dynamo.ts';
import { GatewayError } from '../contract/errors.ts';
import type { Scope } from '../contract/routes.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { type ApiKeyView, apiKeyView, type ClientView, clientView } from './client-views.ts';

interface WantedClient {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly webhookUrl?: string | undefined;
}

export interface ShownClient extends ClientView {
  readonly client_secret: string;
  readonly webhook_secret: string;
}

export async function createClient(
  dependencies: AdminDependencies,
  actor: string,
  { name, scopes, webhookUrl }: WantedClient,
): Promise<ShownClient> {
  const now = dependencies.clock();
  // The list of the stage as it is now: a later change of the stage does not open further countries to this client.
  const countries = scopes.includes('messages') ? dependencies.stageCountries : undefined;
  const wanted = { name, scopes, countries, ...(webhookUrl === undefined ? {} : { webhookUrl }) };
  const { client, clientSecret, webhookSecret } = await clientAdmin.createClient(
    dependencies.clients,
    wanted,
    now,
  );
  await recordActivity(dependencies, actor, {
    kind: 'client_created',
    summary: `${actor} created the client ${name}`,
    clientId: client.client_id,
    after: {
      name,
      scopes,
      webhook_url: webhookUrl ?? null,
      ...(countries === undefined ? {} : { countries }),
    },
  });
  return { ...clientView(client, now), client_secret: clientSecret, webhook_secret: webhookSecret };
}

interface ClientList {
  readonly clients: readonly ClientView[];
  readonly next_cursor?: string;
}

export async function listClients(
  dependencies: AdminDependencies,
  limit: number,
  cursor: string | undefined,
): Promise<ClientList> {
  const page = await dependencies.clients.clients.list({ limit, after: cursor });
  return {
    clients: page.clients.map((client) => clientView(client, dependencies.clock())),
    ...(page.next === undefined ? {} : { next_cursor: page.next }),
  };
}

/** A client with its keys. @throws GatewayError `not_found` */
export async function showClient(
  dependencies: AdminDependencies,
  clientId: string,
): Promise<ClientView & { readonly api_keys: readonly ApiKeyView[] }> {
  const client = await requireClient(dependencies, clientId);
  const keys = await dependencies.clients.apiKeys.listOf(clientId);
  return { ...clientView(client, dependencies.clock()), api_keys: keys.map(apiKeyView) };
}

export async function setClientDisabled(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  disabled: boolean,
): Promise<void> {
  const client = await requireClient(dependencies, clientId);
  if (client.disabled === disabled) return;
  await recordActivity(dependencies, actor, {
    kind: disabled ? 'client_disabled' : 'client_enabled',
    summary: `${actor} ${disabled ? 'disabled' : 'enabled'} the client ${client.name}`,
    clientId,
    before: { disabled: client.disabled },
    after: { disabled },
  });
  await clientAdmin.setClientDisabled(dependencies.clients, clientId, disabled);
}

/** Null removes the URL. */
export async function changeWebhookUrl(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  webhookUrl: string | null,
): Promise<void> {
  const client = await requireClient(dependencies, clientId);
  await recordActivity(dependencies, actor, {
    kind: 'webhook_url_changed',
    summary: `${actor} ${webhookUrl === null ? 'removed' : 'set'} the webhook URL of ${client.name}`,
    clientId,
    before: { webhook_url: client.webhook_url ?? null },
    after: { webhook_url: webhookUrl },
  });
  if (!(await dependencies.clients.clients.setWebhookUrl(clientId, webhookUrl ?? undefined)))
    throw clientAdmin.noSuchClient();
}

/** The countries and senders that the client may use; takes effect within 60 s. Null allows all. */
export async function changePermissions(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  { countries, senders }: PermissionChange,
): Promise<void> {
  const client = await requireClient(dependencies, clientId);
  const change = {
    ...(countries === undefined ? {} : { countries: withoutDoubles(countries) }),
    ...(senders === undefined ? {} : { senders: withoutDoubles(senders) }),
  };
  if (Object.keys(change).length === 0) return;
  await recordActivity(dependencies, actor, {
    kind: 'permissions_changed',
    summary: `${actor} changed the countries and senders of ${client.name}`,
    clientId,
    before: { countries: client.countries ?? null, senders: client.senders ?? null },
    after: { countries: client.countries ?? null, senders: client.senders ?? null, ...change },
  });
  if (!(await dependencies.clients.clients.setPermissions(clientId, change)))
    throw clientAdmin.noSuchClient();
}

const withoutDoubles = (list: readonly string[] | null): readonly string[] | null =>
  list === null ? null : [...new Set(list)];

/** The previous secret stays valid for 24 h. */
export async function rotateClientSecret(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
): Promise<{ readonly client_id: string; readonly client_secret: string }> {
  const secret = await clientAdmin.rotateClientSecret(dependencies.clients, clientId, dependencies.clock());
  const summary = `${actor} made a new client secret; the previous one is valid for 24 h more`;
  await recordActivity(dependencies, actor, { kind: 'client_secret_rotated', summary, clientId });
  return { client_id: clientId, client_secret: secret };
}

export interface RotatedWebhookSecret {
  readonly client_id: string;
  readonly webhook_secret: string;
  /** The time from which it signs. */
  readonly active_at: string;
  readonly previous_secret_expires_at: string | null;
}

/** Only the previous secret signs until the new one is active; then both sign for 24 h. */
export async function rotateWebhookSecret(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
): Promise<RotatedWebhookSecret> {
  const rotated = await clientAdmin.rotateWebhookSecret(dependencies.clients, clientId, dependencies.clock);
  const summary = `${actor} made a new webhook secret, which signs from ${rotated.active_at} on; the previous one signs for 24 h more`;
  await recordActivity(dependencies, actor, { kind: 'webhook_secret_rotated', summary, clientId });
  return {
    client_id: clientId,
    webhook_secret: rotated.secret,
    active_at: rotated.active_at,
    previous_secret_expires_at: rotated.previous_expires_at ?? null,
  };
}

export async function createApiKey(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
): Promise<ApiKeyView & { readonly api_key: string }> {
  const { apiKey, row } = await clientAdmin.createApiKey(
    dependencies.clients,
    clientId,
    dependencies.clock(),
  );
  await recordActivity(dependencies, actor, {
    kind: 'api_key_created',
    summary: `${actor} made the API key ${row.key_id}`,
    clientId,
    after: { key_id: row.key_id },
  });
  return { api_key: apiKey, ...apiKeyView(row) };
}

export async function listApiKeys(
  dependencies: AdminDependencies,
  clientId: string,
): Promise<readonly ApiKeyView[]> {
  await requireClient(dependencies, clientId);
  return (await dependencies.clients.apiKeys.listOf(clientId)).map(apiKeyView);
}

export async function revokeApiKey(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  keyId: string,
): Promise<void> {
  await requireClient(dependencies, clientId);
  const known = (await dependencies.clients.apiKeys.listOf(clientId)).find((key) => key.key_id === keyId);
  if (known?.revoked_at !== undefined) return;
  if (known !== undefined) {
    await recordActivity(dependencies, actor, {
      kind: 'api_key_revoked',
      summary: `${actor} revoked the API key ${keyId}`,
      clientId,
      before: { key_id: keyId, revoked: false },
      after: { key_id: keyId, revoked: true },
    });
  }
  await clientAdmin.revokeApiKey(dependencies.clients, clientId, keyId, dependencies.clock());
}

/** @throws GatewayError `not_found` */
export async function requireClient(
  dependencies: Pick<AdminDependencies, 'clients'>,
  clientId: string,
): Promise<Client> {
  const client = await dependencies.clients.clients.find(clientId);
  if (client === undefined) throw clientAdmin.noSuchClient();
  return client;
}

const clientsPerRead = 500;

/** All clients, or the first ones if there are more than enough: no index has their names. */
export async function readClients(
  { clients: { clients } }: Pick<AdminDependencies, 'clients'>,
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
  if ((await dependencies.clients.clients.find(wanted)) !== undefined) return wanted;
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
