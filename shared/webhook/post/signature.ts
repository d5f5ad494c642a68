/** The signatures of a webhook: `X-Webhook-Signature` (specification, section 6.3) and Standard Webhooks. */
import { createHmac, createSecretKey } from 'node:crypto';
import { signingSecrets, type WebhookSecret } from '../../client/webhook-secrets.ts';
import { epochSeconds } from '../../platform/clock.ts';

const secretPrefix = 'whsec_';

/**
 * The headers by which an endpoint verifies and de-duplicates an attempt. During a rotation `X-Webhook-Signature` uses
 * the oldest secret and `webhook-signature` has one signature for each secret (contract, section 7).
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

/** Not by the package `standardwebhooks`: the tests verify with it, and its SHA-256 is in JavaScript. */
function standardSignature(secret: string, signed: string): string {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  // A key object: a `Buffer` as the key takes four times as long in Node 24.
  return `v1,${createHmac('sha256', createSecretKey(text, 'base64')).update(signed).digest('base64')}`;
}
