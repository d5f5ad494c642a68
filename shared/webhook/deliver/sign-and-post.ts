/** The second step of a delivery: signs the body, posts it, and describes the attempt. */
import { createHmac, createSecretKey } from 'node:crypto';
import { signingSecrets, type WebhookSecret } from '../../client/webhook-secrets.dynamo.ts';
import { version } from '../../contract/routes.ts';
import { epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Attempt, UnpostedError } from '../attempt-record.ts';
import type { AwsDestination } from '../aws-destination.ts';
import type { Delivery } from '../delivery.ts';
import { awsDestinationOf, type WebhookEndpoint } from '../webhook-endpoint.ts';
import type { Post, PostResult } from './http-post.ts';
import { type SendToAws, textFor } from './send-to-aws.sqs.ts';

const userAgent = `messaging-gateway/${version}`;

export interface ClaimedAttempt {
  readonly delivery: Delivery;
  /** The endpoint's row as read before the attempt; absent for the URL of a request or an account. */
  readonly endpoint: WebhookEndpoint | undefined;
  readonly secrets: readonly WebhookSecret[];
}

export async function postAttempt(
  context: Context & { readonly post: Post; readonly sendToAws: SendToAws },
  { delivery, endpoint, secrets }: ClaimedAttempt,
): Promise<Attempt> {
  const startedAt = context.clock();
  const destination = endpoint === undefined ? undefined : awsDestinationOf(endpoint);
  const body = destination === undefined ? delivery.body : textFor(destination, delivery.body);
  const signed = {
    'content-type': 'application/json',
    ...signatureHeaders(delivery.delivery_id, body, secrets, startedAt),
  };
  const requestHeaders =
    destination === undefined
      ? { ...signed, 'user-agent': userAgent, 'accept-encoding': 'identity' }
      : signed;
  const result =
    destination === undefined
      ? await context.post({
          ...{ url: delivery.url, headers: requestHeaders, body },
          timeoutSeconds: endpoint?.timeout_seconds,
          takesAny2xx: endpoint !== undefined,
        })
      : await context.sendToAws({
          ...awsRequestOf(delivery, destination),
          headers: requestHeaders,
          body,
        });
  return attemptOf(delivery, { startedAt, endedAt: context.clock(), requestHeaders, result });
}

function awsRequestOf(delivery: Delivery, destination: AwsDestination) {
  const { delivery_id, client_id, endpoint_id = '', message_id, event } = delivery;
  // A FIFO queue must accept every resend, but drop the retry of an attempt that has arrived.
  const isResend = delivery.attempt_trigger === 'manual';
  return {
    destination,
    clientId: client_id,
    endpointId: endpoint_id,
    event,
    order: {
      groupId: message_id ?? delivery_id,
      deduplicationId: isResend ? `${delivery_id}-${delivery.attempt_number}` : delivery_id,
    },
  };
}

/** The headers whose values are not stored. */
const secretHeaders = /^(x-webhook-signature|webhook-signature|set-cookie|.*(auth|token|secret|api-?key).*)$/;

/** Returns the stored record of an attempt. It explains the attempt to the endpoint's owner and contains no secrets. */
export function attemptOf(
  delivery: Delivery,
  run: {
    readonly startedAt: Date;
    readonly endedAt: Date;
    readonly requestHeaders: Readonly<Record<string, string>>;
    readonly result: PostResult;
  },
): Attempt {
  const { result } = run;
  return {
    ...identityOf(delivery, run.startedAt, run.endedAt),
    dns_ms: rounded(result.timings.dnsMs),
    connect_ms: rounded(result.timings.connectMs),
    tls_ms: rounded(result.timings.tlsMs),
    first_byte_ms: rounded(result.timings.firstByteMs),
    total_ms: rounded(result.timings.totalMs) ?? 0,
    reused_connection: result.reusedConnection,
    address: result.address,
    status: result.status,
    request_headers: redacted(run.requestHeaders),
    response_headers: redacted(result.headers),
    response_body: result.bodyStart,
    error: result.error,
    error_message: result.errorMessage,
  };
}

const interruptedMessage = 'every worker that made this attempt stopped before the attempt ended';

const unpostedMessages: Readonly<Record<UnpostedError, string>> = {
  endpoint_disabled: 'the endpoint was disabled after the event; nothing was posted',
  endpoint_deleted: 'the endpoint was deleted after the event; nothing was posted',
  no_secret: 'the table client-secrets contains no secret that can sign the webhook; nothing was posted',
  // Every worker died, so it is unknown if the endpoint received the webhook.
  reset: interruptedMessage,
};

export function unpostedAttempt(delivery: Delivery, error: UnpostedError, now: Date): Attempt {
  return {
    ...identityOf(delivery, now, now),
    total_ms: 0,
    reused_connection: false,
    request_headers: {},
    response_headers: {},
    response_body: '',
    error,
    error_message: unpostedMessages[error],
  };
}

function identityOf(delivery: Delivery, startedAt: Date, endedAt: Date) {
  return {
    number: delivery.attempt_number,
    trigger: delivery.attempt_trigger,
    due_at: delivery.attempt_due_at,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    lateness_ms: startedAt.getTime() - new Date(delivery.attempt_due_at).getTime(),
  };
}

function redacted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.test(name.toLowerCase()) ? '[redacted]' : value,
    ]),
  );
}

/** Rounds to a tenth of a millisecond. */
function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

const secretPrefix = 'whsec_';

/**
 * Returns the headers with which an endpoint verifies and de-duplicates a webhook: `X-Webhook-Signature` and the headers of
 * Standard Webhooks. During a rotation, `X-Webhook-Signature` uses the oldest secret and `webhook-signature` contains one
 * signature for each secret (contract 7.4 and 7.5).
 *
 * @throws Error if the client has no live secret.
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

/**
 * The package `standardwebhooks` is not used here: the tests verify signatures with it, and its SHA-256 is written in
 * JavaScript.
 */
function standardSignature(secret: string, signed: string): string {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  // A key object is four times as fast as a `Buffer` in Node 24.
  return `v1,${createHmac('sha256', createSecretKey(text, 'base64')).update(signed).digest('base64')}`;
}
