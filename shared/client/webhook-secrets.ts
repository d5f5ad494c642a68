/** The secrets that a client's webhooks are signed with: one, or several for 24 h after a rotation. */
import type { Clock } from '../platform/clock.ts';
import { type CacheBounds, CachedReader } from '../platform/expiring-cache.ts';

export interface WebhookSecret {
  /** `whsec_` and base64; the whole text is the key of `X-Webhook-Signature`. */
  readonly secret: string;
  readonly created_at: string;
  /** From when it signs, if another one can sign until then. Absent in rows of before: from its creation. */
  readonly active_at?: string | undefined;
  readonly expires_at?: string | undefined;
}

export interface WebhookSecrets {
  /** Newest first; expired ones may be among them. */
  find(clientId: string): Promise<readonly WebhookSecret[]>;
}

/** For how long a worker signs with what it has read. */
const bounds: CacheBounds = { maxAgeSeconds: 30, maxEntries: 5000 };

/**
 * From its creation until a new secret signs (contract, section 7: at most 60 s). By then every worker knows it, so all
 * of them change over at the same moment. A worker may sign with what it read `bounds.maxAgeSeconds` earlier; the other
 * half is for the write that stores the secret and the claim between reading and signing, 13 s each with all retries of
 * the SDK, and for clocks that differ.
 */
export const secretActiveAfterSeconds = 60;

/** Remembers secrets, so that a flood of one client's webhooks reads them once. "None yet" is not remembered. */
export function cachedSecrets(source: WebhookSecrets, clock: Clock): WebhookSecrets {
  const read = async (clientId: string) => {
    const found = await source.find(clientId);
    return found.length === 0 ? undefined : found;
  };
  const reader = new CachedReader(read, bounds, clock);
  return { find: async (clientId) => (await reader.get(clientId)) ?? [] };
}

/**
 * The secrets that sign at a moment, newest first: those that are active and not expired. A pending one signs early
 * where no other can: a webhook without a signature is never sent.
 */
export function signingSecrets(secrets: readonly WebhookSecret[], at: Date): readonly WebhookSecret[] {
  const live = secrets
    .filter(({ expires_at }) => expires_at === undefined || at < new Date(expires_at))
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  const active = live.filter(({ active_at }) => active_at === undefined || new Date(active_at) <= at);
  return active.length > 0 ? active : live.slice(-1);
}
