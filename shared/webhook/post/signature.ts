/** The signatures of a webhook: ours of the specification's section 6.3, and those of Standard Webhooks. */
import { createHmac } from 'node:crypto';
import { signingSecrets, type WebhookSecret } from '../../client/webhook-secrets.ts';
import { epochSeconds } from '../../platform/clock.ts';

const secretPrefix = 'whsec_';

/**
 * The headers that let an endpoint trust and de-duplicate an attempt.
 * While several secrets sign, `X-Webhook-Signature` is made with the oldest and `webhook-signature` with each of them:
 * an endpoint that checks either one accepts, with any of the secrets (contract, section 7).
 *
 * @throws Error when the client has no live secret.
 */
export function signatureHeaders(
  deliveryId: string,
  body: string,
  secrets: readonly WebhookSecret[],
  at: Date,
): Record<string, string> {
  const signing = signingSecrets(secrets, at);
  const oldest = signing.at(-1);
  if (oldest === undefined) throw new Error(`no live webhook secret to sign ${deliveryId} with`);
  const timestamp = String(epochSeconds(at));
  return {
    'x-webhook-signature': createHmac('sha256', oldest.secret).update(body).digest('hex'),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signing
      .map(({ secret }) => standardSignature(secret, `${deliveryId}.${timestamp}.${body}`))
      .join(' '),
  };
}

function standardSignature(secret: string, signed: string): string {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  return `v1,${createHmac('sha256', Buffer.from(text, 'base64')).update(signed).digest('base64')}`;
}
