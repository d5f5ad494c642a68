/** A local gateway and webhook endpoints for one program; all are stopped and removed when it ends. */
import { execFileSync } from 'node:child_process';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoClientAdmin } from '../../bin/demo-clients.ts';
import { aimAtEmulator } from '../../lib/local/aim-at-emulator.ts';
import { startLocalGateway } from '../../lib/local/gateway.ts';
import { createClient } from '../../shared/client/client-admin.ts';
import type { Scope } from '../../shared/contract/routes.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { addSeconds } from '../../shared/platform/clock.ts';
import { derivedId, newId } from '../../shared/platform/ids.ts';
import type { Delivery } from '../../shared/webhook/delivery.ts';
import { dynamoDeliveryStore } from '../../shared/webhook/delivery-store.dynamo.ts';
import { functionProcesses, killProcess } from '../support/gateway/function-processes.ts';
import { aSentMessage } from '../support/message/example-message.ts';
import { storeFailedWebhooks } from '../support/webhook/failed-webhooks.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');

export interface BenchWebhookEndpoint {
  readonly url: string;
  /** When the first POST of a message came, in milliseconds since the epoch. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** How many POSTs of a message came. */
  readonly posts: ReadonlyMap<string, number>;
  /** The events of a message, in the order of their arrival. */
  readonly events: ReadonlyMap<string, readonly string[]>;
}

export interface OwnGateway {
  /** @param scopes - by default `messages` */
  newClient(name: string, scopes?: readonly Scope[]): Promise<string>;
  webhookEndpoint(answer: (response: ServerResponse) => void): Promise<BenchWebhookEndpoint>;
  /** Stores a message of the client that has just been sent, and returns its id: its event has to be sent from now on. */
  sent(clientId: string, url: string): Promise<string>;
  /** Stores so many messages' webhooks, two of each, as if all their attempts had failed; returns the messages' ids. */
  failedWebhooks(clientId: string, url: string, messages: number): Promise<readonly string[]>;
  /** A request of a client that `newClient` made. @throws Error unless the response is 2xx */
  call(clientId: string, method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** @param event - by default `sms.sent` */
  deliveryOf(messageId: string, event?: string): Promise<Delivery | undefined>;
  /** For what no operation of the API tells. */
  readonly database: DynamoDBDocumentClient;
  /** By snake_case name: `limit_overrides`. */
  readonly tables: Readonly<Record<string, string>>;
  /** URLs, by snake_case name. */
  readonly queues: Readonly<Record<string, string>>;
  /** How many processes the emulator has: itself, and each worker of a function. */
  processes(): number;
  workers(): Promise<readonly { readonly pid: number; readonly functionName: string }[]>;
  /** Kills the workers of the function with this name, and returns how many. */
  killWorkers(functionName: string): Promise<number>;
}

/** Runs the gateway for as long as `work` takes, or until the program is interrupted. */
export async function withOwnGateway(
  timeScale: number,
  work: (gateway: OwnGateway) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(1));
  }
  const gateway = await startLocalGateway({
    port: 0,
    timeScale,
    cacheFolder: localFolder,
    logFolder: join(localFolder, 'bench'),
    environment: process.env,
    progress: (line) => process.stderr.write(`${line}\n`),
    signal: stopping.signal,
  });
  const servers: Server[] = [];
  try {
    const { aws, tables, queues } = gateway;
    aimAtEmulator(process.env, aws);
    await work({
      ...parts(gateway.baseUrl, tables, servers),
      queues,
      processes: () => processesOf(gateway.emulatorPid),
      async workers() {
        const found = await functionProcesses(gateway.emulatorPid);
        return found.map(({ pid, command }) => ({ pid, functionName: functionNameIn(command) }));
      },
      async killWorkers(functionName) {
        const workers = await functionProcesses(gateway.emulatorPid);
        return workers.filter((one) => one.command.includes(functionName) && killProcess(one)).length;
      },
    });
  } finally {
    for (const server of servers) server.close().closeAllConnections();
    await gateway.stop();
  }
}

function parts(
  baseUrl: string,
  tables: Readonly<Record<string, string>>,
  servers: Server[],
): Omit<OwnGateway, 'queues' | 'processes' | 'workers' | 'killWorkers'> {
  // The limits of the functions are too short for a machine with other work, and a failed write would end the run.
  const requestHandler = { connectionTimeout: 10_000, requestTimeout: 10_000 };
  const database = documentClient(dynamoClient({ requestHandler }));
  const admin = dynamoClientAdmin(database, tables);
  const secrets = new Map<string, string>();
  const tokens = new Map<string, string>();
  const request = async (method: string, path: string, body?: object, token?: string) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const deliveries = dynamoDeliveryStore(database, tables.webhook_deliveries ?? '');
  return {
    database,
    tables,
    async newClient(name, scopes = ['messages']) {
      const { client, clientSecret } = await createClient(admin, { name, scopes }, new Date());
      secrets.set(client.client_id, clientSecret);
      return client.client_id;
    },

    async webhookEndpoint(answer) {
      const arrivals = new Map<string, number>();
      const posts = new Map<string, number>();
      const events = new Map<string, string[]>();
      const server = createServer((request, response) => {
        const at = Date.now();
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const { data, event } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
            event: string;
            data: { message_id: string };
          };
          if (!arrivals.has(data.message_id)) arrivals.set(data.message_id, at);
          posts.set(data.message_id, (posts.get(data.message_id) ?? 0) + 1);
          events.set(data.message_id, [...(events.get(data.message_id) ?? []), event]);
          answer(response);
        });
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
        arrivals,
        posts,
        events,
      };
    },

    async sent(clientId, url) {
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

    async failedWebhooks(clientId, url, messages) {
      const at = new Date();
      const messageIds = Array.from({ length: messages }, () => newId('msg', at));
      const failed = messageIds.flatMap((messageId) => [
        { clientId, messageId, event: 'sms.sent', url, at },
        { clientId, messageId, event: 'sms.delivered', url, at: addSeconds(at, 0.1) },
      ]);
      await storeFailedWebhooks(database, tables, failed);
      return messageIds;
    },

    async call(clientId, method, path, body) {
      const known = tokens.get(clientId);
      const issued = async () => {
        const client_secret = secrets.get(clientId);
        const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret };
        return String((await request('POST', '/api/v1/auth/token', grant)).access_token);
      };
      const token = known ?? (await issued());
      tokens.set(clientId, token);
      return request(method, path, body, token);
    },

    deliveryOf: (messageId, event = 'sms.sent') => deliveries.get(derivedId('whd', messageId, event)),
  };
}

/** The emulator runs a worker in `…/ministack-lambda-<function>-<random>/`. */
function functionNameIn(command: string): string {
  return /ministack-lambda-([^/]+)-[^-/]+\//.exec(command)?.[1] ?? command;
}

function processesOf(group: number): number {
  const groups = execFileSync('ps', ['-eo', 'pgid='], { encoding: 'utf8' }).split('\n');
  return groups.filter((text) => Number(text) === group).length;
}
