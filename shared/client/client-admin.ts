/** Creates clients and API keys and rotates secrets. A new secret is shown once; the newest before it stays valid for 24 h. */
import { GatewayError, isServiceUnavailable } from '../contract/errors.ts';
import type { Scope } from '../contract/routes.ts';
import { previousSecretHours } from '../contract/validity.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import { retry } from '../platform/retry.ts';
import { withoutUndefined } from '../platform/without-undefined.ts';
import type { ApiKeyStore } from './api-key-store.dynamo.ts';
import { type ApiKey, apiKeyScope, type Client, type ClientSecret, isLive } from './client.ts';
import type { ClientStore } from './client-store.dynamo.ts';
import {
  newApiKey,
  newApiKeyId,
  newClientId,
  newClientSecret,
  newWebhookSecret,
  type RandomBytes,
  secretHash,
} from './secret-text.ts';
import { secretActiveAfterSeconds, type WebhookSecret, type WebhookSecretStore } from './webhook-secrets.ts';

/** Another writer changed the secrets between the read and the write: both are repeated at once. */
const conflictRetries = {
  delaysMs: [0, 0, 0, 0],
  isRetryable: isServiceUnavailable,
};
/** Each adds a signature to the header of every webhook. */
export const webhookSecretsMax = 5;

export interface ClientAdminDependencies {
  readonly clients: ClientStore;
  readonly apiKeys: ApiKeyStore;
  readonly webhookSecrets: WebhookSecretStore;
  readonly random: RandomBytes;
}

export interface NewClient {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly webhookUrl?: string;
  /** The only countries that it may send to; without them it follows the stage. */
  readonly countries?: readonly string[] | undefined;
}

interface CreatedClient {
  readonly client: Client;
  readonly clientSecret: string;
  readonly webhookSecret: string;
}

/** Stores the webhook secret first, so that every existing client has one. */
export async function createClient(
  dependencies: ClientAdminDependencies,
  wanted: NewClient,
  now: Date,
): Promise<CreatedClient> {
  const createdAt = now.toISOString();
  const clientId = newClientId(dependencies.random);
  const clientSecret = newClientSecret(dependencies.random);
  const webhookSecret = newWebhookSecret(dependencies.random);
  const client: Client = {
    client_id: clientId,
    name: wanted.name,
    scopes: [...wanted.scopes],
    disabled: false,
    secrets: [{ hash: secretHash(clientSecret), created_at: createdAt }],
    created_at: createdAt,
    ...withoutUndefined({
      webhook_url: wanted.webhookUrl,
      countries: wanted.countries && [...wanted.countries],
    }),
  };
  await dependencies.webhookSecrets.replace(
    clientId,
    [],
    [{ secret: webhookSecret, created_at: createdAt, active_at: createdAt }],
  );
  await dependencies.clients.create(client);
  return { client, clientSecret, webhookSecret };
}

/** Takes effect within 60 s, also for tokens already issued (contract, section 3). */
export async function setClientDisabled(
  dependencies: ClientAdminDependencies,
  clientId: string,
  disabled: boolean,
): Promise<void> {
  if (!(await dependencies.clients.setDisabled(clientId, disabled))) throw noSuchClient();
}

export async function rotateClientSecret(
  dependencies: ClientAdminDependencies,
  clientId: string,
  now: Date,
): Promise<string> {
  const clientSecret = newClientSecret(dependencies.random);
  const created: ClientSecret = { hash: secretHash(clientSecret), created_at: now.toISOString() };
  return retry(conflictRetries, async () => {
    const client = await dependencies.clients.find(clientId);
    if (client === undefined) throw noSuchClient();
    const secrets = withNewest(created, client.secrets, now);
    if (await dependencies.clients.replaceSecrets(clientId, client.secrets, secrets)) return clientSecret;
    throw concurrentChange();
  });
}

export interface RotatedWebhookSecret {
  readonly secret: string;
  readonly created_at: string;
  /** From this time it signs; until then only the previous one does. */
  readonly active_at: string;
  /** Until this time the previous one also signs; absent if there was none. */
  readonly previous_expires_at?: string | undefined;
}

/** Until the new secret is active only the old ones sign; then all sign for 24 h (contract, section 7). */
export async function rotateWebhookSecret(
  dependencies: Pick<ClientAdminDependencies, 'clients' | 'webhookSecrets' | 'random'>,
  clientId: string,
  clock: Clock,
): Promise<RotatedWebhookSecret> {
  if ((await dependencies.clients.find(clientId)) === undefined) throw noSuchClient();
  return replaceWebhookSecret(dependencies, clientId, clock);
}

/** @returns undefined if the endpoint has no secret, because it does not exist */
export async function rotateEndpointSecret(
  dependencies: Pick<ClientAdminDependencies, 'webhookSecrets' | 'random'>,
  clientId: string,
  endpointId: string,
  clock: Clock,
): Promise<RotatedWebhookSecret | undefined> {
  const before = await dependencies.webhookSecrets.find(clientId, endpointId);
  return before.length === 0 ? undefined : replaceWebhookSecret(dependencies, clientId, clock, endpointId);
}

function replaceWebhookSecret(
  dependencies: Pick<ClientAdminDependencies, 'webhookSecrets' | 'random'>,
  clientId: string,
  clock: Clock,
  endpointId?: string,
): Promise<RotatedWebhookSecret> {
  const secret = newWebhookSecret(dependencies.random);
  return retry(conflictRetries, async () => {
    const before = await dependencies.webhookSecrets.find(clientId, endpointId);
    // A deleted endpoint must not get secrets again.
    if (endpointId !== undefined && before.length === 0) throw concurrentChange();
    // The SDK repeats a write whose response was lost; the repeat fails its condition although the first was applied.
    if (before[0]?.secret === secret) return rotated(before);
    // Read for each attempt: from the time of the write, workers have 60 s to read the secret.
    const after = withNewWebhookSecret(secret, before, clock());
    if (await dependencies.webhookSecrets.replace(clientId, before, after, endpointId)) return rotated(after);
    throw concurrentChange();
  });
}

function rotated([newest, previous]: readonly WebhookSecret[]): RotatedWebhookSecret {
  if (newest === undefined) throw new Error('a rotation leaves at least one secret');
  const { secret, created_at, active_at = created_at } = newest;
  return { secret, created_at, active_at, previous_expires_at: previous?.expires_at };
}

interface CreatedApiKey {
  readonly apiKey: string;
  readonly row: ApiKey;
}

export async function createApiKey(
  dependencies: ClientAdminDependencies,
  clientId: string,
  now: Date,
): Promise<CreatedApiKey> {
  const client = await dependencies.clients.find(clientId);
  if (client === undefined) throw noSuchClient();
  if (!client.scopes.includes(apiKeyScope)) {
    throw new GatewayError(
      'invalid_request',
      'An API key opens the messages API only, and this client does not have the scope messages. Administrators sign in with their client secret.',
    );
  }
  const apiKey = newApiKey(dependencies.random);
  const row: ApiKey = {
    key_hash: secretHash(apiKey),
    key_id: newApiKeyId(dependencies.random),
    client_id: clientId,
    created_at: now.toISOString(),
  };
  await dependencies.apiKeys.create(row);
  return { apiKey, row };
}

export async function revokeApiKey(
  dependencies: ClientAdminDependencies,
  clientId: string,
  keyId: string,
  now: Date,
): Promise<void> {
  const key = (await dependencies.apiKeys.listOf(clientId)).find((row) => row.key_id === keyId);
  if (key === undefined) throw new GatewayError('not_found', 'This client has no API key with this id.');
  await dependencies.apiKeys.revoke(key.key_hash, now);
}

/** The new secret and the newest valid one before it, which expires after the overlap unless it expires already. */
function withNewest<S extends { readonly expires_at?: string | undefined }>(
  created: S,
  before: readonly S[],
  now: Date,
): S[] {
  const previous = before.find((secret) => isLive(secret, now));
  if (previous === undefined) return [created];
  const end = previous.expires_at ?? addSeconds(now, previousSecretHours * 3600).toISOString();
  return [created, { ...previous, expires_at: end }];
}

/**
 * The previous secret signs for 24 h after the new one is active; older ones keep the end they have. So a rotation that
 * is repeated because its response was lost does not shorten the time of the secret that the endpoint knows.
 */
export function withNewWebhookSecret(
  secret: string,
  before: readonly WebhookSecret[],
  now: Date,
): readonly WebhookSecret[] {
  const created_at = now.toISOString();
  const live = before.filter((one) => isLive(one, now));
  // If no other secret can sign, the new one signs at once.
  if (live.length === 0) return [{ secret, created_at, active_at: created_at }];
  const activeAt = addSeconds(now, secretActiveAfterSeconds);
  const end = addSeconds(activeAt, previousSecretHours * 3600).toISOString();
  const ending = live.map((one) => ({ ...one, expires_at: one.expires_at ?? end }));
  // The endpoint uses the oldest; of the others, the newest are the likeliest to be used next.
  const kept =
    ending.length < webhookSecretsMax
      ? ending
      : [...ending.slice(0, webhookSecretsMax - 2), ...ending.slice(-1)];
  return [{ secret, created_at, active_at: activeAt.toISOString() }, ...kept];
}

export function noSuchClient(): GatewayError {
  return new GatewayError('not_found', 'There is no such client.');
}

function concurrentChange(): GatewayError {
  return new GatewayError(
    'service_unavailable',
    'These secrets are being changed by another request. Try again.',
  );
}
