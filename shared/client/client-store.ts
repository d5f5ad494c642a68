/** The ports to clients, their API keys and their webhook secrets. */
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';
import type { ApiKey, Client, ClientSecret } from './client.ts';
import type { WebhookSecret, WebhookSecrets } from './webhook-secrets.ts';

export interface ClientStore {
  /** As the row stands now, what was written a moment ago included. A text that is no client's id finds nothing. */
  find(clientId: string): Promise<Client | undefined>;
  /** @throws Error where the id is taken. */
  create(client: Client): Promise<void>;
  /** False where there is no such client. */
  setDisabled(clientId: string, disabled: boolean): Promise<boolean>;
  /** `undefined` removes the address. False where there is no such client. */
  setWebhookUrl(clientId: string, webhookUrl: string | undefined): Promise<boolean>;
  /** `null` removes a list, and so allows everything; one that is left out stays. False where there is no such client. */
  setPermissions(clientId: string, change: PermissionChange): Promise<boolean>;
  /** False where the secrets are no longer `before`: someone else changed them. */
  replaceSecrets(
    clientId: string,
    before: readonly ClientSecret[],
    after: readonly ClientSecret[],
  ): Promise<boolean>;
  list(options: ListOptions): Promise<ClientPage>;
}

export interface PermissionChange {
  readonly countries?: readonly string[] | null | undefined;
  readonly senders?: readonly string[] | null | undefined;
}

interface ListOptions {
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
  /** The last of them, where there may be more. */
  readonly next: string | undefined;
}

export interface ApiKeyStore {
  find(keyHash: string): Promise<ApiKey | undefined>;
  create(key: ApiKey): Promise<void>;
  /** Newest first. */
  listOf(clientId: string): Promise<readonly ApiKey[]>;
  revoke(keyHash: string, at: Date): Promise<void>;
}

export interface WebhookSecretStore extends WebhookSecrets {
  /** False where the secrets are no longer `before`: someone else changed them. */
  replace(
    clientId: string,
    before: readonly WebhookSecret[],
    after: readonly WebhookSecret[],
  ): Promise<boolean>;
}

/** Who may do what, at most 45 s old; what is not remembered is read as it stands. */
export interface ClientDirectory {
  client(clientId: string): Promise<Client | undefined>;
  /** Read anew: for a secret that the remembered row does not know, which may have been made since. */
  freshClient(clientId: string): Promise<Client | undefined>;
  apiKey(keyHash: string): Promise<ApiKey | undefined>;
}

export function clientDirectory(
  clients: Pick<ClientStore, 'find'>,
  apiKeys: Pick<ApiKeyStore, 'find'>,
  clock: Clock,
): ClientDirectory {
  const clientCache = new CachedReader((id) => clients.find(id), accessCache, clock);
  const keyCache = new CachedReader((hash) => apiKeys.find(hash), accessCache, clock);
  return {
    client: (clientId) => clientCache.get(clientId),
    freshClient: (clientId) => clientCache.getFresh(clientId),
    apiKey: (keyHash) => keyCache.get(keyHash),
  };
}
