/**
 * A stage of the last release, filled with data: upgraded to this code under traffic, rolled back, and upgraded again.
 * Nothing is lost or sent twice, limits and caps count on, and every id and credential of before is valid after.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { emulatorAccess } from '../../lib/local/emulator.ts';
import type { Front } from '../../lib/local/front.ts';
import { documentClient } from '../../shared/platform/aws/clients.ts';
import type { Checkout } from './checkout.ts';
import { commands, makeClient } from './first-deploy.ts';
import { endOf, type Ground, stackName } from './ground.ts';
import { lastRelease } from './releases.ts';
import { startWebhookEndpoint, tokenOf } from './traffic.ts';
import { showWebhooks, takenDuring } from './under-traffic.ts';

/** A client of the stage, by its requests. */
interface Caller {
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
const whatsappPerDay = { limit: 12, before: 8 };
const messagesPerDay = { limit: 60, before: 25 };
const finalWithinMs = 240_000;
const queuedMaxSeconds = 400;

export async function upgradeReleased(ground: Ground, front: Front, released: Checkout): Promise<void> {
  const { report, releases, endpoint } = ground;
  const bootstrapped = await ground.shellOfLastRelease(released.folder, 'npx cdk bootstrap');
  report.show(bootstrapped.status === 0, 'cdk bootstrap', endOf(bootstrapped.output));
  const deployed = await ground.shellOfLastRelease(released.folder, commands(ground).deploy);
  report.show(deployed.status === 0, `cdk deploy of release ${lastRelease.version}`, endOf(deployed.output));
  front.open({ endpoint, apiId: deployed.outputs.ApiId ?? '' });
  const day = today();
  const sender = await caller(ground, released);
  const limited = await caller(ground, released);
  await putLimits(ground, deployed.outputs.LimitOverridesTable ?? '', sender, limited);
  const failing = await startWebhookEndpoint({ isFailing: true });
  const registered = await startWebhookEndpoint();
  try {
    const before = await fill(ground, sender, limited, { failing: failing.url, registered: registered.url });
    const moveTo = (where: string, { folder }: Checkout) =>
      takenDuring(ground, sender.token, async () => {
        const shell = folder === released.folder ? ground.shellOfLastRelease : ground.shell;
        const { status, output } = await shell(folder, commands(ground).deploy);
        report.show(status === 0, `cdk deploy ${where}`, endOf(output));
      });
    const upgraded = await moveTo('to this code', releases.first);
    failing.accept();
    await showWebhooks(ground, upgraded);
    const rolledBack = await moveTo(`back to ${lastRelease.version}`, released);
    const upgradedAgain = await moveTo('to this code again', releases.first);
    // What this code put on a queue that the release before cannot read waits there, for as long as twelve receives take.
    await showWebhooks(ground, [...rolledBack, ...upgradedAgain], queuedMaxSeconds);
    await showKept(ground, sender, before);
    await showWebhook(ground, failing, before.retried);
    if (today() === day) await showCounted(ground, limited, before);
    else report.remark('limits and caps are not compared: a day ended meanwhile');
    await showHandedOverOnce(ground);
  } finally {
    failing.close();
    registered.close();
  }
}

const today = () => new Date().toISOString().slice(0, 10);

async function caller(ground: Ground, { folder }: Checkout): Promise<Caller> {
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

async function putLimits(ground: Ground, TableName: string, sender: Caller, limited: Caller): Promise<void> {
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

interface Filled {
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

async function fill(
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
function numbers(prefix: string): () => string {
  let next = 10_000 + (Date.now() % 80_000);
  return () => {
    next += 1;
    return `${prefix}${String(next).padStart(5, '0')}`;
  };
}

async function showKept(ground: Ground, sender: Caller, before: Filled): Promise<void> {
  const { report } = ground;
  const states = new Map<string, string>();
  const unfinished = () =>
    [...before.messages].filter(([id, wanted]) => !wanted.includes(states.get(id) ?? 'unknown'));
  for (
    const until = Date.now() + finalWithinMs;
    Date.now() < until && unfinished().length > 0;
    await pause(500)
  )
    for (const [id] of unfinished())
      states.set(id, String((await sender.request('GET', `/sms/status/${id}`)).body.status));
  report.show(
    unfinished().length === 0,
    `the ${before.messages.size} messages of before ended as they should`,
    JSON.stringify(unfinished().map(([id, wanted]) => [id, states.get(id), wanted])),
  );
  const { path, body, key, text } = before.keyed;
  const repeated = await sender.request('POST', path, body, key);
  report.show(
    repeated.isReplay && repeated.text === text,
    'a repeat gets the response of before',
    repeated.text,
  );
  const verified = await sender.request('POST', '/otp/verify', {
    otp_id: before.otp.otpId,
    code: before.otp.code,
  });
  report.show(verified.body.verified === true, 'a password of before is verified', verified.text);
  const endpoint = await sender.request('GET', `/webhook-endpoints/${before.endpointId}`);
  report.show(
    endpoint.status === 200 && endpoint.body.enabled === true,
    'its webhook endpoint is there and enabled',
    endpoint.text,
  );
  const refused = await sender.request('POST', '/sms/send', { to: before.suppressed, message: 'Not you' });
  const id = String(refused.body.message_id);
  let status = '';
  for (const until = Date.now() + finalWithinMs; Date.now() < until && status !== 'failed'; await pause(500))
    status = String((await sender.request('GET', `/sms/status/${id}`)).body.status);
  report.show(status === 'failed', 'a suppression of before holds', status);
}

async function showWebhook(
  { report }: Ground,
  failing: Awaited<ReturnType<typeof startWebhookEndpoint>>,
  retried: string,
): Promise<void> {
  const arrived = () => new Set(failing.events.get(retried)?.map(({ event }) => event));
  for (const until = Date.now() + finalWithinMs; Date.now() < until && arrived().size < 2; await pause(500));
  report.show(
    arrived().has('sms.sent') && arrived().has('sms.delivered'),
    'webhooks that failed before arrive by their retries',
    [...arrived()].join(),
  );
}

async function showCounted({ report }: Ground, limited: Caller, before: Filled): Promise<void> {
  const batch = await limited.request('GET', `/sms/status/${before.batchId}`);
  const number = numbers('+4479009');
  const statuses: number[] = [];
  const requests = Array.from({ length: whatsappPerDay.limit }, async () => {
    const { status } = await limited.request('POST', '/whatsapp/send', { to: number(), message: 'More' });
    statuses.push(status);
  });
  await Promise.all(requests);
  const accepted = statuses.filter((status) => status === 202).length;
  const left = whatsappPerDay.limit - whatsappPerDay.before;
  report.show(
    accepted === left && statuses.every((status) => status === 202 || status === 429),
    `a limit of ${whatsappPerDay.limit} a day, of which ${whatsappPerDay.before} were used, lets ${left} pass`,
    statuses.join(),
  );
  const capLeft = messagesPerDay.limit - messagesPerDay.before - left;
  const bulk = (size: number) =>
    limited.request('POST', '/sms/bulk', {
      message: 'All',
      recipients: Array.from({ length: size }, number),
    });
  const [tooMany, fitting] = [await bulk(capLeft + 1), await bulk(capLeft)];
  report.show(
    batch.status === 200 && tooMany.status === 429 && fitting.status === 202,
    `a cap of ${messagesPerDay.limit} messages a day lets the ${capLeft} that are left pass, and no more`,
    `${tooMany.text} ${fitting.text}`,
  );
}

/**
 * Reads what the simulated carrier was given. The emulator ends the processes of a function when its code changes, which AWS
 * does not: a worker that dies in its call is the one case in which another hands the message over again, by a new claim.
 */
async function showHandedOverOnce(ground: Ground): Promise<void> {
  const claims = new Map<string, number>();
  const messages = new Set<string>();
  for (const { message_id, handed_over } of await outbox(ground)) {
    const [, , attempt] = handed_over.split('#');
    const claim = `${message_id}#${attempt}`;
    claims.set(claim, (claims.get(claim) ?? 0) + 1);
    messages.add(message_id);
  }
  const twice = [...claims].filter(([, count]) => count > 1);
  ground.report.show(
    messages.size > 0 && twice.length === 0,
    `no claim of ${messages.size} messages was handed over twice`,
    JSON.stringify(twice),
  );
  const again = claims.size - messages.size;
  if (again > 0) ground.report.remark(`${again} were handed over again after their worker was ended`);
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

async function outbox(ground: Ground): Promise<readonly OutboxRow[]> {
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
