/** Messages sent all the while something else goes on, and the account of what became of each. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface WebhookEndpoint {
  readonly url: string;
  /** Events by message, and the release that sent each. */
  readonly events: ReadonlyMap<string, readonly { event: string; userAgent: string }[]>;
  /** Acknowledges from now on, where it was failing. */
  accept(): void;
  close(): void;
}

/**
 * A client's webhook endpoint: responds with 200 and records the requests.
 *
 * @param isFailing - responds with 500 and records nothing, until `accept` is called
 */
export async function startWebhookEndpoint({ isFailing = false } = {}): Promise<WebhookEndpoint> {
  let fails = isFailing;
  const events = new Map<string, { event: string; userAgent: string }[]>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (fails) {
      response.writeHead(500).end();
      return;
    }
    const { event, data } = JSON.parse(Buffer.concat(parts).toString()) as {
      event: string;
      data: { message_id: string };
    };
    const known = events.get(data.message_id) ?? [];
    events.set(data.message_id, [...known, { event, userAgent: request.headers['user-agent'] ?? '' }]);
    response.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    accept() {
      fails = false;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface Traffic {
  /** Ids of the messages that were taken: 202. */
  readonly taken: readonly string[];
  /** Messages that were not taken in the end, by their last response. */
  readonly refused: readonly string[];
  /** Answers upon which the request was repeated under its idempotency key. */
  readonly repeated: readonly string[];
  /** Stops sending. */
  end(): Promise<void>;
}

const attempts = 6;

/**
 * Makes a request again upon a failure that is not the client's, as any client of an API does.
 *
 * @param onRepeat - is told the answer upon which it is made again
 * @returns the last answer; an error where the last attempt got none
 */
export async function persistentFetch(
  url: string,
  init: RequestInit,
  onRepeat: (last: string) => void = () => undefined,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attempts;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(120_000) });
      if (isLast || (response.status < 500 && response.status !== 409)) return response;
      onRepeat(`${response.status} ${await response.text()}`);
    } catch (error) {
      if (isLast) throw error;
      onRepeat(String(error));
    }
    await pause(1000);
  }
}

export async function tokenOf(baseUrl: string, clientId: string, clientSecret: string): Promise<string> {
  const answer = await persistentFetch(`${baseUrl}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    }),
  });
  const body = (await answer.json()) as { access_token?: string };
  if (body.access_token === undefined) throw new Error(`no token: ${answer.status}`);
  return body.access_token;
}

/** Sends one message, under one idempotency key. */
export async function sendOne(
  baseUrl: string,
  token: string,
  webhookUrl: string,
  onRepeat?: (last: string) => void,
): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${token}`,
    'Idempotency-Key': randomUUID(),
  };
  const body = JSON.stringify({ to: '+447700900123', message: 'Under way', webhook_url: webhookUrl });
  return persistentFetch(`${baseUrl}/api/v1/sms/send`, { method: 'POST', headers, body }, onRepeat);
}

/** Sends a message every so many milliseconds until it is told to end. */
export function startTraffic(baseUrl: string, token: string, webhookUrl: string, everyMs: number): Traffic {
  const taken: string[] = [];
  const refused: string[] = [];
  const repeated: string[] = [];
  let ending = false;
  const underWay = new Set<Promise<void>>();

  async function one(): Promise<void> {
    try {
      const answer = await sendOne(baseUrl, token, webhookUrl, (last) => repeated.push(last));
      const body = await answer.text();
      if (answer.status === 202) taken.push((JSON.parse(body) as { message_id: string }).message_id);
      else refused.push(`${answer.status} ${body}`);
    } catch (error) {
      refused.push(String(error));
    }
  }
  const sending = (async () => {
    while (!ending) {
      const sent = one().finally(() => underWay.delete(sent));
      underWay.add(sent);
      await pause(everyMs);
    }
    await Promise.all(underWay);
  })();
  return {
    taken,
    refused,
    repeated,
    async end() {
      ending = true;
      await sending;
    },
  };
}

/**
 * The messages of which not both webhooks came, when all had come or none had come for the given time: a busy machine
 * needs longer for all of them.
 */
export async function withoutWebhooks(
  webhookEndpoint: WebhookEndpoint,
  messageIds: readonly string[],
  quietSeconds: number,
): Promise<string[]> {
  const missing = () =>
    messageIds.filter((id) => {
      const events = new Set(webhookEndpoint.events.get(id)?.map(({ event }) => event));
      return !events.has('sms.sent') || !events.has('sms.delivered');
    });
  let left = missing();
  for (let last = Date.now(); left.length > 0 && Date.now() - last < quietSeconds * 1000; ) {
    await pause(200);
    const now = missing();
    if (now.length < left.length) last = Date.now();
    left = now;
  }
  return left;
}
