/** The types of the client stores, and the cached directory of clients and API keys that authentication uses. */
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';
import type { ApiKeyStore } from './api-key-store.dynamo.ts';
import type { ApiKey, Client } from './client.ts';
import type { ClientStore } from './client-store.dynamo.ts';
import type { WebhookSecret, WebhookSecrets } from './webhook-secrets.ts';

export interface PermissionChange {
  readonly countries?: readonly string[] | null | undefined;
  readonly senders?: readonly string[] | null | undefined;
}

export interface ListOptions {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface ClientPage {
  readonly clients: readonly Client[];
  readonly next?: string | undefined;
}

/** The ids of some clients, in the order of the table. */
export interface ClientIdPage {
  readonly clientIds: readonly string[];
  /** The last of them, if there may be more. */
  readonly next: string | undefined;
}

export interface WebhookSecretStore extends WebhookSecrets {
  /** False if the secrets are no longer `before`, because another writer changed them. */
  replace(
    clientId: string,
    before: readonly WebhookSecret[],
    after: readonly WebhookSecret[],
  ): Promise<boolean>;
}

export type ClientDirectory = ReturnType<typeof clientDirectory>;

/** Clients and API keys, at most 45 s old; what the cache does not have is read from the tables. */
export function clientDirectory(
  clients: Pick<ClientStore, 'find'>,
  apiKeys: Pick<ApiKeyStore, 'find'>,
  clock: Clock,
) {
  const clientCache = new CachedReader((id) => clients.find(id), accessCache, clock);
  const keyCache = new CachedReader((hash) => apiKeys.find(hash), accessCache, clock);
  return {
    client: (clientId: string): Promise<Client | undefined> => clientCache.get(clientId),
    /** Bypasses the cache, for a secret that may have been created after the cached row was read. */
    freshClient: (clientId: string): Promise<Client | undefined> => clientCache.getFresh(clientId),
    apiKey: (keyHash: string): Promise<ApiKey | undefined> => keyCache.get(keyHash),
  };
}
