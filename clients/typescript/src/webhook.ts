/** Verifies webhooks of the gateway, also while a secret is rotated. */
import { Webhook } from 'standardwebhooks';
import { ArgumentError, WebhookVerificationError } from './errors.ts';
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

interface HeaderReader {
  get(name: string): string | null | undefined;
}
type HeaderValue = string | readonly string[] | undefined;

/** The headers as any `fetch`, Node's `http` or an event of API Gateway has them, or pairs of names and values. */
export type WebhookHeaders =
  | Iterable<readonly [string, HeaderValue]>
  | HeaderReader
  | Readonly<Record<string, HeaderValue>>;

/**
 * Returns the event if its signature (Standard Webhooks) is valid and at most five minutes old.
 *
 * @param body - the raw body: a body that was parsed and written again has other bytes
 * @param secrets - the webhook secret; during a rotation, the old and the new one
 * @throws WebhookVerificationError - its message says the reason: answer 401, and do nothing else
 * @throws ArgumentError - the secret, the body or the headers are not what this function takes
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): AnyWebhookEvent {
  const webhooks = (Array.isArray(secrets) ? secrets : [secrets]).map(webhookOf);
  if (webhooks.length === 0) throw new ArgumentError(secretAdvice);
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new ArgumentError('Give the raw body as text or bytes, before anything has parsed it.');
  if (typeof headers !== 'object' || headers === null)
    throw new ArgumentError('Give the headers of the request.');
  const given = signedHeaders(headers);
  checkPresenceAndTime(given);
  const text = typeof body === 'string' ? body : textOf(body);
  if (text === undefined) throw new WebhookVerificationError(notSigned);
  for (const webhook of webhooks) {
    try {
      webhook.verify(text, given, { jsonParse: false });
    } catch {
      continue;
    }
    return eventOf(text);
  }
  throw new WebhookVerificationError(notSigned);
}

const notSigned = 'No signature of the webhook is valid. Check the secret, and that the body is the raw one.';

const toleranceSeconds = 300;

function checkPresenceAndTime(given: SignedHeaders): void {
  for (const name of signed)
    if (given[name] === '')
      throw new WebhookVerificationError(`The request has no header ${name}. It is not a webhook.`);
  const timestamp = given['webhook-timestamp'];
  // The library would also take a time with something behind it, which nobody signed.
  if (!/^[1-9]\d{0,14}$/.test(timestamp))
    throw new WebhookVerificationError('The header webhook-timestamp is not a time in whole seconds.');
  if (Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError(
      'The time of the webhook is more than five minutes from the time of this machine. Check its clock.',
    );
}

/** Returns the text, with its byte order mark; undefined if the bytes are not UTF-8. */
function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

const secretAdvice =
  'Give the webhook secret as the gateway shows it: whsec_ and then base64. Is the environment variable set?';

/** Declared here, so that the types of the package need no others. */
interface SigningSecret {
  verify(body: string, headers: Record<string, string>, options: { readonly jsonParse: false }): unknown;
  sign(id: string, at: Date, body: string): string;
}

/** @throws ArgumentError, without the value, if it is not a secret */
export function webhookOf(secret: unknown): SigningSecret {
  const base64 = typeof secret === 'string' ? secretPattern.exec(secret)?.[1] : undefined;
  if (base64 === undefined || base64.length % 4 === 1) throw new ArgumentError(secretAdvice);
  return new Webhook(base64);
}

/** Base64 of 24 to 64 bytes (Standard Webhooks), so that the text of an unset variable is no secret. */
const secretPattern = /^(?:whsec_)?([A-Za-z0-9+/]{32,86})={0,2}$/;

function eventOf(text: string): AnyWebhookEvent {
  let event: { readonly event?: unknown; readonly data?: unknown } | null = null;
  try {
    event = JSON.parse(text);
  } catch {
    // It is no event, as below.
  }
  const isEvent = typeof event?.event === 'string' && typeof event.data === 'object' && event.data !== null;
  if (!isEvent)
    throw new WebhookVerificationError('The webhook is signed, but it is not an event of the gateway.');
  return event as AnyWebhookEvent;
}

const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

type SignedHeaders = Record<(typeof signed)[number], string>;

function signedHeaders(headers: WebhookHeaders): SignedHeaders {
  const look = lookUpIn(headers);
  return Object.fromEntries(signed.map((name) => [name, [look(name)].flat()[0] ?? ''])) as SignedHeaders;
}

/** No `instanceof Headers`: each implementation of `fetch` has a class of its own. */
function lookUpIn(headers: WebhookHeaders): (name: string) => HeaderValue | null {
  if (!(Symbol.iterator in headers) && isReader(headers)) return (name) => headers.get(name);
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  const values = new Map(Array.from(pairs, ([name, value]) => [name.toLowerCase(), value]));
  return (name) => values.get(name);
}

function isReader(headers: object): headers is HeaderReader {
  return 'get' in headers && typeof headers.get === 'function';
}
