/**
 * A synthetic send: sends a message with a test token through the gateway's public address, as a client would, and follows
 * it until its status is `delivered`. It exercises the API, the tables, the stream, the queues and the receipts, but no
 * carrier. A failed send is a result, not an error. The function fails only if it is broken itself.
 */
import * as z from 'zod/mini';
import { clientIdIn, syntheticClientId } from '../contract/mode.ts';
import { routes } from '../contract/routes.ts';
import type { Clock, Sleep } from '../platform/clock.ts';
import { apiKeyScope } from './client.ts';
import { rotateClientSecret } from './client-admin.ts';
import { findClient, storeClient } from './client-store.dynamo.ts';

/** Longer than any request that meets the objectives, even with a cold start. */
const timeLimitMs = 5000;

/** Stops X-Ray from recording the request: each trace costs money, and these traces are always the same. */
const untraced = 'Root=1-00000000-000000000000000000000000;Sampled=0';

export type CallGateway = ReturnType<typeof callGateway>;

/**
 * Calls the gateway through its public address, as a client would. Throws if there is no response in time, or if it
 * is not JSON.
 */
export function callGateway(baseUrl: string) {
  return async (
    path: string,
    { token, body }: { readonly token?: string; readonly body?: object },
  ): Promise<{
    readonly status: number;
    readonly body: unknown;
  }> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        'X-Amzn-Trace-Id': untraced,
        // The other end may close a kept connection while Lambda freezes the function.
        Connection: 'close',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeLimitMs),
    });
    return { status: response.status, body: await response.json() };
  };
}

export type SyntheticSend =
  | {
      readonly outcome: 'delivered';
      readonly messageId: string;
      /** The milliseconds from the storing of the message to its hand-over. */
      readonly handOverMs: number;
      /** The milliseconds from the storing of the message until `delivered` was seen. */
      readonly deliveryMs: number;
    }
  | { readonly outcome: 'failed'; readonly messageId: string | undefined; readonly reason: string };

/** Ofcom reserves this number for drama, so it belongs to nobody. */
const recipient = '+447700900123';
const deliveredWithinMs = 30_000;
/**
 * The wait between reads of the status, which doubles from `first` to `longest`. If a stage is down, the reads must not use
 * up the client's limit.
 */
const pollMs = { first: 500, longest: 4000 };
/** A token is renewed this long before it expires, so that it is valid until the message is delivered. */
const renewedBeforeMs = 120_000;

const instant = z.pipe(
  z.iso.datetime(),
  z.transform((text) => Date.parse(text)),
);
const tokenBody = z.object({ access_token: z.string(), expires_in: z.number() });
const sendBody = z.object({ message_id: z.string() });
const statusBody = z.object({ status: z.string(), created_at: instant, sent_at: z.nullish(instant) });
const errorBody = z.object({ error: z.string() });

const unfinished = ['queued', 'sending', 'sent'];

export function syntheticSender(dependencies: {
  readonly call: CallGateway;
  readonly clientId: string;
  /** Creates a test secret of the client and revokes the previous one. */
  readonly newSecret: (now: Date) => Promise<string>;
  /** If empty, the message is sent by WhatsApp. */
  readonly smsCarriers: readonly string[];
  readonly clock: Clock;
  readonly sleep: Sleep;
}): () => Promise<SyntheticSend> {
  const { call, clientId, newSecret, smsCarriers, clock, sleep } = dependencies;
  let token: { readonly text: string; readonly renewedAtMs: number } | undefined;

  async function validToken(): Promise<string> {
    const now = clock();
    if (token !== undefined && now.getTime() < token.renewedAtMs) return token.text;
    const response = await call(routes.issueToken.path, {
      body: {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: await newSecret(now),
      },
    });
    const { access_token, expires_in } = parsed('the request of a token', response, tokenBody);
    token = { text: access_token, renewedAtMs: now.getTime() + expires_in * 1000 - renewedBeforeMs };
    return access_token;
  }

  async function deliveredMessage(bearer: string, messageId: string): Promise<SyntheticSend> {
    const begunMs = clock().getTime();
    const path = routes.getMessageStatus.path.replace('{message_id}', messageId);
    for (let waitMs = pollMs.first; ; waitMs = Math.min(2 * waitMs, pollMs.longest)) {
      await sleep(waitMs);
      const response = await call(path, { token: bearer });
      const { status, created_at, sent_at } = parsed('the read of the status', response, statusBody);
      const now = clock().getTime();
      if (status === 'delivered')
        return {
          outcome: 'delivered',
          messageId,
          handOverMs: (sent_at ?? now) - created_at,
          deliveryMs: now - created_at,
        };
      if (now - begunMs >= deliveredWithinMs || !unfinished.includes(status))
        throw new Error(`the message is ${status} after ${Math.round((now - begunMs) / 1000)} s`);
    }
  }

  return async () => {
    let messageId: string | undefined;
    try {
      const bearer = await validToken();
      const path = smsCarriers.length > 0 ? routes.sendSms.path : routes.sendWhatsApp.path;
      const response = await call(path, {
        token: bearer,
        body: { to: recipient, message: 'Synthetic send' },
      });
      // The next run requests a new token.
      if (response.status === 401) token = undefined;
      messageId = parsed('the send', response, sendBody).message_id;
      return await deliveredMessage(bearer, messageId);
    } catch (error) {
      return { outcome: 'failed', messageId, reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** @throws Error with the status and the error code if the body does not have this form. */
function parsed<Body extends z.ZodMiniType>(
  what: string,
  {
    status,
    body,
  }: {
    readonly status: number;
    readonly body: unknown;
  },
  schema: Body,
): z.output<Body> {
  const { success, data } = schema.safeParse(body);
  if (success) return data;
  throw new Error(`${what} is ${status} ${errorBody.safeParse(body).data?.error ?? ''}`.trim());
}

/**
 * The recipient's country. The client gets its own list with this country, because the stage may allow other countries only.
 */
const country = 'GB';

/**
 * Creates a test secret for the client of synthetic sends, and creates that client if it does not exist. Revokes the
 * previous secret. Keeps what administrators changed, such as `disabled`.
 */
export async function newSyntheticSecret(
  dependencies: Parameters<typeof rotateClientSecret>[0],
  now: Date,
): Promise<string> {
  const testId = clientIdIn('test', syntheticClientId);
  if ((await findClient(dependencies, testId)) === undefined)
    await storeClient(dependencies, {
      client_id: syntheticClientId,
      name: 'Synthetic sends',
      scopes: [apiKeyScope],
      disabled: false,
      secrets: [],
      countries: [country],
      created_at: now.toISOString(),
    });
  return rotateClientSecret(dependencies, testId, now, 0);
}
