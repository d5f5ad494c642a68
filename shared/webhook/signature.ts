/** The signatures of a webhook: ours of the specification's section 6.3, and those of Standard Webhooks. */
import { createHmac } from 'node:crypto';
import type { WebhookSecret } from '../client/webhook-secrets.ts';
import { epochSeconds } from '../clock.ts';

const secretPrefix = 'whsec_';

/**
 * The headers that let a receiver trust and de-duplicate an attempt.
 * While several secrets are live, `X-Webhook-Signature` holds to the oldest, which the receiver surely knows, and
 * `webhook-signature` carries one signature for each (contract, section 7).
 *
 * @throws Error when the client has no live secret.
 */
export function signatureHeaders(
  deliveryId: string,
  body: string,
  secrets: readonly WebhookSecret[],
  at: Date,
): Record<string, string> {
  const live = liveSecrets(secrets, at);
  const oldest = live.at(-1);
  if (oldest === undefined) throw new Error(`no live webhook secret to sign ${deliveryId} with`);
  const timestamp = String(epochSeconds(at));
  return {
    'x-webhook-signature': createHmac('sha256', oldest.secret).update(body).digest('hex'),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': live
      .map(({ secret }) => standardSignature(secret, `${deliveryId}.${timestamp}.${body}`))
      .join(' '),
  };
}

/** Newest first. */
function liveSecrets(secrets: readonly WebhookSecret[], at: Date): WebhookSecret[] {
  return secrets
    .filter(({ expires_at }) => expires_at === undefined || at < new Date(expires_at))
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
}

function standardSignature(secret: string, signed: string): string {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  return `v1,${createHmac('sha256', Buffer.from(text, 'base64')).update(signed).digest('base64')}`;
}
