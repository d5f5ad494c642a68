/** A webhook endpoint whose answer a test can change; it records each POST to its own path or below it. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { startServer } from '../http/local-server.ts';

export interface RecoveringWebhookEndpoint {
  readonly url: string;
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  answer: { status: number; body: string };
  close(): Promise<void>;
}

export async function startRecoveringWebhookEndpoint(): Promise<RecoveringWebhookEndpoint> {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const path = `/hook/${randomUUID()}`;
  const server = await startServer(async (request, response) => {
    // Its port may have been that of another endpoint, whose webhooks still come.
    if (request.url?.startsWith(path) !== true) {
      response.writeHead(404).end();
      return;
    }
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(webhookEndpoint.answer.status).end(webhookEndpoint.answer.body);
  });
  const webhookEndpoint: RecoveringWebhookEndpoint = {
    url: `${server.url}${path}`,
    received,
    answer: { status: 200, body: '' },
    close: server.close,
  };
  return webhookEndpoint;
}
