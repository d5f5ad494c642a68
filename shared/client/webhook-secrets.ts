/** The secrets that a client's webhooks are signed with: one, or two for 24 h after a rotation. */
import type { Clock } from '../clock.ts';
import { type CacheBounds, CachedReader } from '../expiring-cache.ts';

export interface WebhookSecret {
  /** `whsec_` and base64; the whole text is the key of `X-Webhook-Signature`. */
  readonly secret: string;
  readonly created_at: string;
  readonly expires_at?: string | undefined;
}

export interface WebhookSecrets {
  /** Newest first; expired ones may be among them. */
  find(clientId: string): Promise<readonly WebhookSecret[]>;
}

/** A rotation takes effect within this time; the old secret is good for 24 h, so nothing is signed wrongly. */
const bounds: CacheBounds = { maxAgeSeconds: 30, maxEntries: 5000 };

/** Remembers secrets, so that a flood of one client's webhooks reads them once. "None yet" is not remembered. */
export function cachedSecrets(source: WebhookSecrets, clock: Clock): WebhookSecrets {
  const read = async (clientId: string) => {
    const found = await source.find(clientId);
    return found.length === 0 ? undefined : found;
  };
  const reader = new CachedReader(read, bounds, clock);
  return { find: async (clientId) => (await reader.get(clientId)) ?? [] };
}
