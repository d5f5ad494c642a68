/**
 * A running gateway whose table of messages is lost under traffic, and which the commands of docs/rotate-and-restore.md bring
 * back, in processes that are killed at three calls. The emulator restores a table as it is now, so the side tables are made
 * at the time, by the same call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { stages } from '../../../lib/stages/stages.ts';
import { secretHash } from '../../../shared/client/client.ts';
import type { Message } from '../../../shared/message/message.ts';
import { chunksOf } from '../../../shared/platform/aws/read-rows.dynamo.ts';
import type { RestoreReport } from '../../../shared/restore/restore-stage.ts';
import { dynamoSideTables, sideTableName } from '../../../shared/restore/side-tables.dynamo.ts';
import { type RunningWorkers, stackWorkers } from '../../../shared/restore/stop-stage.lambda.ts';
import { freshNumber } from '../carrier/outbox.ts';
import { clientConfig, documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { runQueueDueRows } from '../gateway/run-queue-due-rows.ts';
import { adminToken, call } from '../http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../webhook/webhook-endpoint.ts';
import { type KillPoint, restoreCommand } from './restore-command.ts';
import { soonSeconds, type Traffic, type Trickle, trafficTo } from './traffic.ts';

type Rows = ReadonlyMap<string, Message>;
type Counts = ReadonlyMap<string, number>;

/** The observations of a restore. */
export interface RestoredGateway {
  /** The rows at the time. */
  readonly atTime: Rows;
  /** The rows that were lost, as they were then: accepted before the time and after it. */
  readonly lost: Rows;
  /** When the stage has run again for a while, before anything is released or ended. */
  readonly held: Rows;
  /** When all that was due has been done. */
  readonly ended: Rows;
  /** Reads how many messages usage has in each state. */
  readonly usageByStatus: Traffic['usageByStatus'];
  readonly report: RestoreReport;
  readonly deaths: number;
  readonly trickle: Trickle;
  /** Mappings and schedules that were on before the restore, and that are on after it. */
  readonly workers: { readonly before: RunningWorkers; readonly after: RunningWorkers };
  /** How often the simulated carrier was given each message, when the rows were lost, when they were held, and at the end. */
  readonly handedOver: { readonly lost: Counts; readonly held: Counts; readonly ended: Counts };
  /** The ids of the webhooks that were posted, of held messages while they were held, and all. */
  readonly posts: { readonly held: readonly string[]; readonly ended: readonly string[] };
  /** A key that was revoked after the time, and what a send with it answered once the stage ran, and once it was enabled. */
  readonly revokedKey: { readonly id: string; readonly held: number; readonly enabled: number };
  /** When each step had ended, in seconds since the first message. */
  readonly seconds: Readonly<Record<string, number>>;
}

const killPoints = (rows: number): Readonly<Record<'stop' | 'copy' | 'start', KillPoint>> => ({
  stop: { call: 'PUT /2015-03-31/event-source-mappings', nth: 3, when: 'after' },
  copy: { call: 'PutItem', nth: Math.ceil(rows / 5), when: 'before' },
  start: { call: 'DeleteTable', nth: 1, when: 'after' },
});

/** @param total - how many messages there are at the time */
export async function loseAndRestore(total: number): Promise<RestoredGateway> {
  const endpoint = await startWebhookEndpoint();
  const dynamo = documentClient();
  const raw = new DynamoDBClient(clientConfig());
  const lambda = new LambdaClient(clientConfig());
  const traffic = await trafficTo(endpoint.url);
  const begun = performance.now();
  const seconds: Record<string, number> = {};
  const ended = (step: string): void => {
    seconds[step] = Math.round((performance.now() - begun) / 1000);
  };
  const messages = gateway().tables.messages ?? '';
  const apiKeys = gateway().tables.api_keys ?? '';
  try {
    const key = await newKey(traffic.client.clientId);
    await sendInEveryState(traffic, total);
    ended('sent');
    const to = new Date(Math.floor(Date.now() / 1000) * 1000);
    for (const table of [messages, apiKeys]) await dynamoSideTables(raw).restore(table, to);
    const atTime = await rowsOf(dynamo, sideTableName(messages, to));
    await key.revoke();
    const lost = await loseUnderTraffic(dynamo, traffic, total, endpoint);
    await dynamo.send(new DeleteCommand({ TableName: apiKeys, Key: { key_hash: secretHash(key.text) } }));
    await traffic.usageOnce(lost.size);
    const handedOverWhenLost = await handedOver(dynamo);
    const posts = () => endpoint.posts.map(({ headers }) => String(headers['webhook-id']));
    ended('lost');
    const trickle = traffic.trickle();
    const workersOn = () => stackWorkers(stages.local.stackName).find('on');
    const before = await workersOn();

    const command = await restoreCommand(to, key.id);
    let deaths = 0;
    const run = async (name: Parameters<typeof command.run>[0], ...points: KillPoint[]): Promise<void> => {
      for (const point of points) if ((await command.run(name, point)).status === null) deaths += 1;
      const { status, printed } = await command.run(name);
      if (status !== 0) throw new Error(`restore ${name} ended with ${status}: ${printed}`);
    };
    const points = killPoints(atTime.size);
    await run('copy', points.stop, points.copy);
    const report = command.report();
    ended('copied');
    await run('enable');
    await run('start', points.start);
    ended('started');

    // The API is open again, and everything that is due is queued once since.
    const accepted = trickle.ids.length;
    await eventually(async () => (trickle.ids.length > accepted + 2 ? true : undefined));
    await trickle.stop();
    const after = await workersOn();
    const postedBefore = endpoint.posts.length;
    await runQueueDueRows(lambda);
    await pause(5000);
    const held = await rowsOf(dynamo, messages);
    const handedOverWhenHeld = await handedOver(dynamo);
    const heldIds = new Set(Object.values(report.held).flat());
    const postedOfHeld = endpoint.posts
      .slice(postedBefore)
      .map(({ bytes }) => String(JSON.parse(bytes.toString()).data.message_id))
      .filter((id) => heldIds.has(id));
    const heldStatus = await key.status();

    await run('release');
    await run('end');
    await run('enableKey');
    await runQueueDueRows(lambda);
    await allFinished(dynamo, messages);
    const enabledStatus = await eventually(async () => {
      const status = await key.status();
      return status === 401 ? undefined : status;
    });
    await command.close();
    ended('finished');
    return {
      seconds,
      atTime,
      lost,
      held,
      ended: await rowsOf(dynamo, messages),
      usageByStatus: traffic.usageByStatus,
      report,
      deaths,
      trickle,
      workers: { before, after },
      handedOver: { lost: handedOverWhenLost, held: handedOverWhenHeld, ended: await handedOver(dynamo) },
      posts: { held: postedOfHeld, ended: posts() },
      revokedKey: { id: key.id, held: heldStatus, enabled: enabledStatus },
    };
  } finally {
    await endpoint.close();
    dynamo.destroy();
    raw.destroy();
    lambda.destroy();
  }
}

/** A second key of the client. */
async function newKey(clientId: string) {
  const path = `/admin/api/clients/${clientId}/api-keys`;
  const created = await call('POST', path, { credential: await adminToken(), body: {} });
  const [text, id] = [String(created.body.api_key), String(created.body.key_id)];
  return {
    text,
    id,
    async revoke(): Promise<void> {
      const { status, text: answer } = await call('DELETE', `${path}/${id}`, {
        credential: await adminToken(),
      });
      if (status >= 300) throw new Error(`${status}: ${answer}`);
    },
    /** Asks for the client's account, which sends nothing. Returns the status. */
    async status(): Promise<number> {
      const { status } = await call('GET', '/api/v1/account', { credential: text });
      return status;
    },
  };
}

async function sendInEveryState(traffic: Traffic, total: number): Promise<void> {
  const share = (percent: number): number => Math.ceil((total * percent) / 100);
  const rounds = Math.ceil(total / 100);
  const given = [
    ...(await traffic.ended(rounds)),
    ...(await traffic.waiting(share(10))),
    ...(await traffic.canceled(share(2))),
    ...(await traffic.scheduledLater(share(13))),
    ...(await traffic.bulk(share(30))),
  ];
  await traffic.scheduledSoon(share(10));
  // The last ones are on their way at the time.
  await traffic.bulk(total - given.length - share(10));
}

/** Traffic goes on until what was scheduled is handed over; then each row is deleted, as its last state is read. */
async function loseUnderTraffic(
  dynamo: DynamoDBDocumentClient,
  traffic: Traffic,
  total: number,
  endpoint: WebhookEndpoint,
): Promise<Rows> {
  const begun = Date.now();
  await traffic.bulk(Math.ceil(total / 20));
  // A single send does not wait behind the bulk messages.
  const fields = { to: freshNumber(), message: 'Hello', webhook_url: endpoint.url };
  await endpoint.eventsOnce(await traffic.client.send(fields), 1);
  await pause(Math.max(0, begun + (soonSeconds + 5) * 1000 - Date.now()));
  await traffic.bulk(Math.ceil(total / 20));
  const TableName = gateway().tables.messages;
  const lost = new Map<string, Message>();
  for (;;) {
    const ids = [...(await rowsOf(dynamo, TableName)).keys()];
    if (ids.length === 0) return lost;
    for (const chunk of chunksOf(ids, 25)) {
      const deleted = await Promise.all(
        chunk.map((message_id) =>
          dynamo.send(new DeleteCommand({ TableName, Key: { message_id }, ReturnValues: 'ALL_OLD' })),
        ),
      );
      for (const { Attributes } of deleted) lost.set(String(Attributes?.message_id), Attributes as Message);
    }
  }
}

async function rowsOf(dynamo: DynamoDBDocumentClient, TableName: string | undefined): Promise<Rows> {
  const rows = new Map<string, Message>();
  for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName, ConsistentRead: true }))
    for (const item of Items) rows.set(String(item.message_id), item as Message);
  return rows;
}

/** What is scheduled for later stays so, and `sent` waits for a receipt that was lost, or that never comes. */
async function allFinished(dynamo: DynamoDBDocumentClient, table: string): Promise<void> {
  await eventually(async () => {
    const rows = [...(await rowsOf(dynamo, table)).values()];
    return rows.some(({ status }) => status === 'queued' || status === 'sending') ? undefined : true;
  });
}

async function handedOver(dynamo: DynamoDBDocumentClient): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const TableName = gateway().tables.simulator_outbox;
  for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName }))
    for (const { message_id: id } of Items) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
