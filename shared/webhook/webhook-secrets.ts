/** The secrets that a client's webhooks are signed with: one, or two for 24 h after a rotation. */
import { addSeconds } from '../clock.ts';

export interface WebhookSecret {
  /** `whsec_` and base64; the whole text is the key of `X-Webhook-Signature`. */
  readonly secret: string;
  readonly created_at: string;
  readonly expires_at?: string | undefined;
}

export interface WebhookSecrets {
  /** Newest first; expired ones may be among them. */
  ofClient(clientId: string): Promise<readonly WebhookSecret[]>;
}

/** A rotation takes effect within this time; the old secret is good for 24 h, so nothing is signed wrongly. */
const cacheSeconds = 30;
const cachedClientsMax = 5000;

/** Remembers secrets, so that a flood of one client's webhooks reads them once. */
export function cachedSecrets(source: WebhookSecrets, clock: () => Date): WebhookSecrets {
  const cache = new Map<
    string,
    { readonly until: Date; readonly secrets: Promise<readonly WebhookSecret[]> }
  >();
  return {
    ofClient(clientId) {
      const now = clock();
      const hit = cache.get(clientId);
      if (hit !== undefined && now < hit.until) return hit.secrets;
      if (cache.size >= cachedClientsMax) cache.clear();
      const secrets = source.ofClient(clientId);
      cache.set(clientId, { until: addSeconds(now, cacheSeconds), secrets });
      // Neither a failed read nor "none yet" is an answer to remember.
      secrets.then(
        (found) => found.length === 0 && cache.delete(clientId),
        () => cache.delete(clientId),
      );
      return secrets;
    },
  };
}
