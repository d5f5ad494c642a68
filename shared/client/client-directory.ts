/** The cached clients and API keys that authentication uses. */
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';
import type { ApiKey, Client } from './client.ts';
import type { ApiKeyStore, ClientStore } from './client-store.dynamo.ts';

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
