/** The secrets that sign the webhooks of an account or of an endpoint: one, or two for the overlap of a rotation. */
import * as z from 'zod/mini';
import { isLive } from './client.ts';

const instant = z.iso.datetime();

export const webhookSecret = z.object({
  /** `whsec_` and base64; the whole text is the key of `X-Webhook-Signature`. */
  secret: z.string().check(z.minLength(1)),
  created_at: instant,
  /** The time from which the secret signs; if absent, its creation. */
  active_at: z.optional(instant),
  expires_at: z.optional(instant),
});

export type WebhookSecret = Readonly<z.output<typeof webhookSecret>>;

/** A worker signs with the secrets it has read for at most this long. */
export const secretsCache = { maxAgeSeconds: 30, maxEntries: 5000 };

/**
 * The time between the creation of a secret and its first signature (contract 7.6: at most 60 s). By then every
 * worker has read it, so all start at the same moment. Half of it covers the cache (`secretsCache.maxAgeSeconds`). The rest
 * covers the write that stores the secret and the claim between reading and signing (13 s each with all retries of
 * the SDK), and clock differences.
 */
export const secretActiveAfterSeconds = 60;

/**
 * Returns the secrets that sign at this moment, newest first: active and not expired. If there is none, a pending one
 * signs early, because no webhook is sent unsigned.
 */
export function signingSecrets(secrets: readonly WebhookSecret[], at: Date): readonly WebhookSecret[] {
  const live = secrets
    .filter((secret) => isLive(secret, at))
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  const active = live.filter(({ active_at }) => active_at === undefined || new Date(active_at) <= at);
  return active.length > 0 ? active : live.slice(-1);
}
