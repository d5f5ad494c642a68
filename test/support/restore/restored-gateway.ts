/**
 * A running gateway whose table of messages is lost under traffic, and which `npm run admin -- restore` brings back in processes
 * that are killed at ten calls. The emulator restores a table as it is now, so the side table is made at the time, by the
 * same call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { stages } from '../../../lib/stages/stages.ts';
import type { Message } from '../../../shared/message/message.ts';
import { chunksOf } from '../../../shared/platform/long-lists.ts';
import type { RestoreReport } from '../../../shared/restore/restore-report.ts';
import { dynamoSideTables, sideTableName } from '../../../shared/restore/side-tables.dynamo.ts';
import { type RunningWorkers, stackWorkers } from '../../../shared/restore/stop-stage.lambda.ts';
import { clientConfig, documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { minuteReviews } from '../gateway/minute-reviews.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../webhook/webhook-endpoint.ts';
import { type KillPoint, restoreCommand } from './restore-command.ts';
import { type Traffic, type Trickle, trafficTo } from './traffic.ts';

type Rows = ReadonlyMap<string, Message>;

/** What was seen of a restore. */
export interface RestoredGateway {
  /** The rows at the time. */
  readonly atTime: Rows;
  /** The rows that were lost, as they were then: accepted before the time and after it. */
  readonly lost: Rows;
  /** After the copy, while everything is still stopped. */
  readonly copied: Rows;
  /** When all that was due has been done. */
  readonly ended: Rows;
  /** Reads how many messages usage has in each state. */
  readonly usageByStatus: Traffic['usageByStatus'];
  readonly report: RestoreReport;
  /** What `--plan` printed, and how many requests had been refused until then. */
  readonly plan: { readonly status: number | null; readonly printed: string; readonly refused: number };
  /** What the command printed when it had compared. */
  readonly printed: string;
  readonly deaths: number;
  readonly trickle: Trickle;
  /** Mappings and schedules that were on before the restore, and that are on after it. */
  readonly workers: { readonly before: RunningWorkers; readonly after: RunningWorkers };
  /** How often the simulated carrier was given each message. */
  readonly handedOver: ReadonlyMap<string, number>;
  /** When each step had ended, in seconds since the first message. */
  readonly seconds: Readonly<Record<string, number>>;
  /** The id and the message of each webhook that was posted, and when. */
  readonly posts: readonly { readonly id: string; readonly messageId: string; readonly at: Date }[];
}

/** Before anything is compared: the API is closed, the workers are turned off, and the stream is read. */
const whileStopping: readonly KillPoint[] = [
  { call: 'PutItem', nth: 1, when: 'after' },
  { call: 'PUT /2015-03-31/event-source-mappings', nth: 3, when: 'after' },
  { call: 'GetRecords', nth: 1, when: 'after' },
];
/** Rows are compared and written. */
const whileCopying = (rows: number): readonly KillPoint[] => [
  { call: 'Scan', nth: 3, when: 'before' },
  { call: 'PutItem', nth: 1, when: 'after' },
  { call: 'PutItem', nth: Math.ceil(rows / 5), when: 'before' },
  { call: 'UpdateItem', nth: Math.ceil(rows / 100), when: 'after' },
];
const beforeAnyStart: KillPoint = { call: 'PUT /schedules/', nth: 1, when: 'before' };
/** The workers are turned on, and the side table is deleted. */
const whileStarting: readonly KillPoint[] = [
  { call: 'PUT /2015-03-31/event-source-mappings', nth: 3, when: 'after' },
  { call: 'DeleteTable', nth: 1, when: 'after' },
];

const decided = ['--unknown-messages', 'fail', '--confirm'];

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
  try {
    await sendInEveryState(traffic, total);
    ended('sent');
    const to = new Date(Math.floor(Date.now() / 1000) * 1000);
    const messages = gateway().tables.messages ?? '';
    await dynamoSideTables(raw).restore(messages, to);
    const atTime = await rowsOf(dynamo, sideTableName(messages, to));
    const lost = await loseUnderTraffic(dynamo, traffic, total, endpoint);
    await traffic.usageOnce(lost.size);
    ended('lost');
    const trickle = traffic.trickle();
    const workersOn = () => stackWorkers(stages.local.stackName).find('on');
    const before = await workersOn();

    const command = await restoreCommand(to);
    let deaths = 0;
    const kill = async (words: readonly string[], points: readonly KillPoint[]): Promise<void> => {
      for (const point of points) if ((await command.run(words, point)).status === null) deaths += 1;
    };
    const planned = await command.run(['--plan']);
    const plan = { ...planned, refused: trickle.refused.length };
    await kill([], whileStopping);
    const compared = await command.run([]);
    const report = command.report();
    ended('compared');
    await kill(decided, [...whileCopying(atTime.size), beforeAnyStart]);
    const copied = await rowsOf(dynamo, messages);
    await kill(decided, whileStarting);
    const last = await command.run(decided);
    if (compared.status !== 1 || last.status !== 0) throw new Error(`${compared.status}, ${last.status}`);
    await command.close();
    ended('restored');

    // The API is open again, and everything that was restored is reviewed once since.
    const accepted = trickle.ids.length;
    await eventually(async () => (trickle.ids.length > accepted + 2 ? true : undefined));
    await trickle.stop();
    const after = await workersOn();
    await (await minuteReviews(lambda))();
    await allFinished(dynamo, messages);
    await traffic.usageOnce(lost.size + trickle.ids.length);
    ended('finished');
    return {
      seconds,
      atTime,
      lost,
      copied,
      ended: await rowsOf(dynamo, messages),
      usageByStatus: traffic.usageByStatus,
      report,
      plan,
      printed: compared.printed,
      deaths,
      trickle,
      workers: { before, after },
      handedOver: await handedOver(dynamo),
      posts: endpoint.posts.map(({ headers, bytes, at }) => ({
        id: String(headers['webhook-id']),
        messageId: String(JSON.parse(bytes.toString()).data.message_id),
        at,
      })),
    };
  } finally {
    await endpoint.close();
    dynamo.destroy();
    raw.destroy();
    lambda.destroy();
  }
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
  const [reported = ''] = await traffic.bulk(Math.ceil(total / 20));
  await endpoint.eventsOnce(reported, 1);
  await pause(Math.max(0, begun + 70_000 - Date.now()));
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
