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
  /** Answers upon which the request was repeated under its idempotency key, as any client of an API does. */
  readonly repeated: readonly string[];
  /** Stops sending. */
  end(): Promise<void>;
}

export async function tokenOf(baseUrl: string, clientId: string, clientSecret: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/v1/auth/token`, {
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

export async function sendOne(
  baseUrl: string,
  token: string,
  webhookUrl: string,
  idempotencyKey = randomUUID(),
): Promise<Response> {
  return fetch(`${baseUrl}/api/v1/sms/send`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify({ to: '+447700900123', message: 'Under way', webhook_url: webhookUrl }),
    signal: AbortSignal.timeout(120_000),
  });
}

const attempts = 6;

/** Sends a message every so many milliseconds until it is told to end. */
export function startTraffic(baseUrl: string, token: string, webhookUrl: string, everyMs: number): Traffic {
  const taken: string[] = [];
  const refused: string[] = [];
  const repeated: string[] = [];
  let ending = false;
  const underWay = new Set<Promise<void>>();

  async function one(): Promise<void> {
    const key = randomUUID();
    let last = '';
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (attempt > 1) repeated.push(last);
      try {
        const answer = await sendOne(baseUrl, token, webhookUrl, key);
        const body = await answer.text();
        if (answer.status === 202) {
          taken.push((JSON.parse(body) as { message_id: string }).message_id);
          return;
        }
        last = `${answer.status} ${body}`;
        if (answer.status < 500 && answer.status !== 409) break;
      } catch (error) {
        last = String(error);
      }
      await pause(1000);
    }
    refused.push(last);
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

/** The messages of which not both webhooks came, when all had come or the time was over. */
export async function withoutWebhooks(
  webhookEndpoint: WebhookEndpoint,
  messageIds: readonly string[],
  withinSeconds: number,
): Promise<string[]> {
  const missing = () =>
    messageIds.filter((id) => {
      const events = new Set(webhookEndpoint.events.get(id)?.map(({ event }) => event));
      return !events.has('sms.sent') || !events.has('sms.delivered');
    });
  for (const deadline = Date.now() + withinSeconds * 1000; Date.now() < deadline; await pause(200)) {
    if (missing().length === 0) return [];
  }
  return missing();
}
