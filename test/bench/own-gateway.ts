/** Starts a local gateway for one benchmark, with clients and webhook endpoints, and stops everything at its end. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoClientAdmin } from '../../bin/demo-clients.ts';
import { aimAtEmulator } from '../../lib/local/aim-at-emulator.ts';
import { startLocalGateway } from '../../lib/local/gateway.ts';
import { createClient } from '../../shared/client/client-admin.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { addSeconds } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { aSentMessage } from '../support/message/example-message.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');

export interface BenchWebhookEndpoint {
  readonly url: string;
  /** When the first POST about a message arrived, in milliseconds since the epoch. */
  readonly arrivals: ReadonlyMap<string, number>;
}

export type OwnGateway = Awaited<ReturnType<typeof start>>['own'];

/** Runs the gateway for as long as `work` takes, or until the program is interrupted. */
export async function withOwnGateway(work: (gateway: OwnGateway) => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const { own, stop } = await start();
  try {
    await work(own);
  } finally {
    await stop();
  }
}

async function start() {
  const gateway = await startLocalGateway({
    port: 0,
    timeScale: 1,
    cacheFolder: localFolder,
    logFolder: join(localFolder, 'bench'),
    environment: process.env,
    progress: (line) => process.stderr.write(`${line}\n`),
    signal: new AbortController().signal,
  });
  aimAtEmulator(process.env, gateway.aws);
  const { tables } = gateway;
  // The time limits of the functions are too short for a machine with other work.
  const requestHandler = { connectionTimeout: 10_000, requestTimeout: 10_000 };
  const database: DynamoDBDocumentClient = documentClient(dynamoClient({ requestHandler }));
  const admin = dynamoClientAdmin(database, tables);
  const tokens = new Map<string, string>();
  const servers: Server[] = [];

  /** @throws Error unless the response is 2xx */
  async function request(method: string, path: string, body?: object, token = ''): Promise<Answer> {
    const answer = await fetch(`${gateway.baseUrl}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  const own = {
    database,
    /** By snake_case name: `limit_overrides`. */
    tables,

    async newClient(name: string): Promise<string> {
      const { client, clientSecret } = await createClient(admin, { name, scopes: ['messages'] }, new Date());
      const grant = {
        grant_type: 'client_credentials',
        client_id: client.client_id,
        client_secret: clientSecret,
      };
      const { access_token } = await request('POST', '/api/v1/auth/token', grant);
      tokens.set(client.client_id, String(access_token));
      return client.client_id;
    },

    call: (clientId: string, method: string, path: string, body?: object) =>
      request(method, path, body, tokens.get(clientId)),

    /** @param answers - called for each POST; an endpoint that does not answer keeps its connection open */
    async webhookEndpoint(answers: () => boolean): Promise<BenchWebhookEndpoint> {
      const arrivals = new Map<string, number>();
      const server = createServer((incoming, response) => {
        const at = Date.now();
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
            data: { message_id: string };
          };
          if (!arrivals.has(data.message_id)) arrivals.set(data.message_id, at);
          if (answers()) response.end();
        });
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, arrivals };
    },

    /** Stores a message that was just sent, so that its event is due, and returns its id. */
    async storeSent(clientId: string, url: string): Promise<string> {
      const now = new Date();
      const message = aSentMessage({
        message_id: newId('msg', now),
        client_id: clientId,
        webhook_url: url,
        created_at: now.toISOString(),
        queued_at: now.toISOString(),
        sent_at: now.toISOString(),
        expires_at: addSeconds(now, 86_400).toISOString(),
      });
      await database.send(new PutCommand({ TableName: tables.messages ?? '', Item: { ...message } }));
      return message.message_id;
    },
  };
  const stop = async () => {
    for (const server of servers) server.close().closeAllConnections();
    await gateway.stop();
  };
  return { own, stop };
}

type Answer = Readonly<Record<string, unknown>>;
