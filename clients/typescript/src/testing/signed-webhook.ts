/** Signs a webhook as the gateway does, for tests of the code that receives it. */
import type { AnyWebhookEvent } from '../webhook.ts';
import { webhookOf } from '../webhook.ts';

export interface SignedWebhook {
  /** The raw body. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WebhookToSign {
  readonly event: AnyWebhookEvent['event'] | (string & {});
  readonly data: object;
}

export interface SigningOptions {
  /** Default: a new one. The gateway sends the same one again when it retries. */
  readonly id?: string | undefined;
  /** Default: now. Webhooks of more than five minutes ago are refused. */
  readonly at?: Date | undefined;
}

/** @throws ArgumentError for a secret that is none */
export function signedWebhook(
  { event, data }: WebhookToSign,
  secret: string,
  { id = `whd_${crypto.randomUUID()}`, at = new Date() }: SigningOptions = {},
): SignedWebhook {
  const body = JSON.stringify({ event, timestamp: at.toISOString(), data });
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhookOf(secret).sign(id, at, body),
    },
  };
}
