/** Tells a webhook of the gateway from any other request, also while its secret is rotated. */
import { Webhook } from 'standardwebhooks';
import { WebhookVerificationError } from './errors.ts';
import type {
  InboundMessageEvent,
  MessageEventName,
  RecipientEvent,
  WebhookEndpointDisabledEvent,
  WebhookEvent,
} from './generated/schema.ts';

/** What is posted, told apart by `event`. Ignore an event that is none of these: a release may add some. */
export type AnyWebhookEvent =
  | (WebhookEvent & { event: MessageEventName })
  | InboundMessageEvent
  | RecipientEvent
  | WebhookEndpointDisabledEvent;

/** The headers as `fetch`, Node's `http` or an event of API Gateway has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * The event, once its signature holds (Standard Webhooks). Signatures of more than five minutes ago do not.
 *
 * @param body - the raw body: parsed and written again it would differ
 * @param secrets - the webhook secret; the old and the new one during a rotation
 * @throws WebhookVerificationError - answer 401, and do nothing else
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): AnyWebhookEvent {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (list.length === 0 || list.some((secret) => typeof secret !== 'string' || secret === ''))
    throw new TypeError('Give the webhook secret: whsec_…');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const given = Object.fromEntries(signed.map((name) => [name, header(headers, name)]));
  let cause: unknown;
  for (const secret of list) {
    const webhook = new Webhook(secret);
    try {
      return webhook.verify(text, given) as AnyWebhookEvent;
    } catch (error) {
      cause = error;
    }
  }
  throw new WebhookVerificationError('The webhook is not from the gateway, or too old.', { cause });
}

function header(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
