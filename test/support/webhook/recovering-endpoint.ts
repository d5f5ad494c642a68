/** A webhook endpoint whose answer a test can change; it records each POST to its own path or below it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RecoveringWebhookEndpoint {
  readonly url: string;
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  answer: { status: number; body: string };
  close(): void;
}

export async function startRecoveringWebhookEndpoint(): Promise<RecoveringWebhookEndpoint> {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const path = `/hook/${randomUUID()}`;
  const server = createServer(async (request, response) => {
    // Its port may have been that of another endpoint, whose webhooks still come.
    if (request.url?.startsWith(path) !== true) {
      response.writeHead(404).end();
      return;
    }
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(webhookEndpoint.answer.status).end(webhookEndpoint.answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const webhookEndpoint: RecoveringWebhookEndpoint = {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    answer: { status: 200, body: '' },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return webhookEndpoint;
}
