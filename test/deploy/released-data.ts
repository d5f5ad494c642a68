/** The data with which a stage of the last release is filled before its upgrade, and the clients that own it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { emulatorAccess } from '../../lib/local/emulator.ts';
import { documentClient } from '../../shared/platform/aws/clients.ts';
import type { Checkout } from './checkout.ts';
import { makeClient } from './first-deploy.ts';
import { type Ground, stackName } from './ground.ts';
import { tokenOf } from './traffic.ts';

/** A client of the stage, by its requests. */
export interface Caller {
  readonly clientId: string;
  readonly token: string;
  request(method: string, path: string, body?: unknown, key?: string): Promise<Answered>;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isReplay: boolean;
}

/** The requests of this run that a limit or a cap lets pass, and those of them that are made before the upgrade. */
export const whatsappPerDay = { limit: 12, before: 8 };
export const messagesPerDay = { limit: 60, before: 25 };
export const finalWithinMs = 240_000;
export async function caller(ground: Ground, { folder }: Checkout): Promise<Caller> {
  const { clientId, clientSecret } = await makeClient(ground, { folder, shell: ground.shellOfLastRelease });
  const token = await tokenOf(ground.baseUrl, clientId, clientSecret);
  return {
    clientId,
    token,
    async request(method, path, body, key) {
      const response = await fetch(`${ground.baseUrl}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(120_000),
      });
      const text = await response.text();
      const isReplay = response.headers.get('idempotent-replayed') === 'true';
      return { status: response.status, text, body: text === '' ? {} : JSON.parse(text), isReplay };
    },
  };
}

export async function putLimits(
  ground: Ground,
  TableName: string,
  sender: Caller,
  limited: Caller,
): Promise<void> {
  const dynamo = tables(ground);
  const plenty = { per_minute: 10_000, per_hour: 100_000, per_day: 100_000 };
  const rows = [
    ...['POST /api/v1/sms/send', 'GET /api/v1/sms/status'].map((each) => ({ endpoint: each, ...plenty })),
  ].map((row) => ({ client_id: sender.clientId, ...row }));
  const limits = [
    { endpoint: 'POST /api/v1/whatsapp/send', per_day: whatsappPerDay.limit },
    { endpoint: 'messages', per_day: messagesPerDay.limit },
  ].map((row) => ({ client_id: limited.clientId, ...row }));
  for (const Item of [...rows, ...limits]) await dynamo.send(new PutCommand({ TableName, Item }));
}

export interface Filled {
  /** Messages, and the states of which each must be in one at the end. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  readonly keyed: {
    readonly path: string;
    readonly body: unknown;
    readonly key: string;
    readonly text: string;
  };
  readonly otp: { readonly otpId: string; readonly code: string };
  readonly suppressed: string;
  readonly batchId: string;
  readonly endpointId: string;
  /** A message whose webhook failed before the upgrade. */
  readonly retried: string;
}

export async function fill(
  ground: Ground,
  sender: Caller,
  limited: Caller,
  urls: { readonly failing: string; readonly registered: string },
): Promise<Filled> {
  const { report } = ground;
  const messages = new Map<string, readonly string[]>();
  async function send(body: Readonly<Record<string, unknown>>, ...states: string[]): Promise<string> {
    const {
      status,
      text,
      body: accepted,
    } = await sender.request('POST', '/sms/send', {
      message: 'Kept',
      ...body,
    });
    if (status !== 202) throw new Error(`a send is ${status}: ${text}`);
    const id = String(accepted.message_id);
    messages.set(id, states);
    return id;
  }
  const number = numbers('+4477009');
  for (let sent = 0; sent < 20; sent += 1) await send({ to: number() }, 'delivered');
  await send({ to: '+15005550001' }, 'failed');
  await send({ to: '+15005550002' }, 'failed');
  await send({ to: '+15005550003' }, 'expired');
  await send({ to: '+15005550004', validity_period: 60 }, 'expired');
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  // Some become due while the first deploy goes on, others after it.
  for (const seconds of [62, 65, 70, 80, 90, 110, 140])
    await send({ to: number(), scheduled_at: inSeconds(seconds) }, 'delivered');
  const canceled = await send({ to: number(), scheduled_at: inSeconds(3600) }, 'canceled');
  await sender.request('DELETE', `/messages/${canceled}`);
  const retried = await send({ to: number(), webhook_url: urls.failing }, 'delivered');

  const key = randomUUID();
  const keyedBody = { to: number(), message: 'Once' };
  const keyed = await sender.request('POST', '/sms/send', keyedBody, key);
  messages.set(String(keyed.body.message_id), ['delivered']);

  const suppressed = number();
  await sender.request('PUT', `/suppressions/${encodeURIComponent(suppressed)}`, {});
  const made = await sender.request('POST', '/webhook-endpoints', { url: urls.registered });
  const to = number();
  const otp = await sender.request('POST', '/otp/send', { to, ttl: 3600 });
  const code = await codeSentTo(ground, to);

  const recipients = Array.from({ length: messagesPerDay.before - whatsappPerDay.before }, () => number());
  const batch = await limited.request('POST', '/sms/bulk', { message: 'All', recipients });
  for (let sent = 0; sent < whatsappPerDay.before; sent += 1)
    await limited.request('POST', '/whatsapp/send', { to: number(), message: 'Counted' });
  const counts = { messages: messages.size, batch: batch.status, otp: otp.status, endpoint: made.status };
  report.show(
    batch.status === 202 && otp.status === 202 && made.status === 201 && keyed.status === 202,
    `${messages.size} messages in every state, a batch, a password, an endpoint and a suppression`,
    JSON.stringify(counts),
  );
  return {
    messages,
    keyed: { path: '/sms/send', body: keyedBody, key, text: keyed.text },
    otp: { otpId: String(otp.body.otp_id), code },
    suppressed,
    batchId: String(batch.body.batch_id),
    endpointId: String(made.body.endpoint_id),
    retried,
  };
}

/** Numbers of which no two are the same. */
export function numbers(prefix: string): () => string {
  let next = 10_000 + (Date.now() % 80_000);
  return () => {
    next += 1;
    return `${prefix}${String(next).padStart(5, '0')}`;
  };
}

async function codeSentTo(ground: Ground, to: string): Promise<string> {
  for (const until = Date.now() + finalWithinMs; Date.now() < until; await pause(500)) {
    const found = (await outbox(ground)).find((row) => row.to === to || row.recipient === to);
    const [code] = /\b\d{6}\b/.exec(found?.body ?? '') ?? [];
    if (code !== undefined) return code;
  }
  throw new Error(`no code was sent to ${to}`);
}

interface OutboxRow {
  readonly message_id: string;
  /** Time, message, attempt and the carrier's id, separated by `#`. */
  readonly handed_over: string;
  readonly to?: string;
  readonly recipient?: string;
  readonly body?: string;
}

export async function outbox(ground: Ground): Promise<readonly OutboxRow[]> {
  const table = (await ground.survey.resources(stackName)).find(
    ({ type, id }) => type === 'AWS::DynamoDB::Table' && id.endsWith('simulator-outbox'),
  );
  if (table === undefined) throw new Error('the stack has no outbox of the simulated carrier');
  const rows: OutboxRow[] = [];
  for await (const { Items = [] } of paginateScan({ client: tables(ground) }, { TableName: table.id }))
    rows.push(...(Items as OutboxRow[]));
  return rows;
}

function tables({ endpoint }: Ground) {
  const { region, accessKeyId, secretAccessKey } = emulatorAccess;
  return documentClient(
    new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } }),
  );
}
