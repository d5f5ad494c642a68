/**
 * A running gateway whose table of messages is lost under traffic, and which `npm run admin -- restore` brings back in processes
 * that are killed. The emulator restores a table as it is now, so the side table is made at the time, by the same call.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { chunksOf } from '../../../shared/platform/long-lists.ts';
import type { RestoreReport } from '../../../shared/restore/restore-report.ts';
import { dynamoSideTables } from '../../../shared/restore/side-tables.dynamo.ts';
import { outboxOf } from '../carrier/outbox.ts';
import { clientConfig, documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { newClient } from '../http/client.ts';
import { startWebhookEndpoint } from '../webhook/webhook-endpoint.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'admin.ts');
/** Recipients with an end of their own: refused, undeliverable, expired by the carrier, without a receipt. */
const ends = ['+15005550001', '+15005550002', '+15005550003', '+15005550004'];

interface Sent {
  readonly id: string;
  readonly to: string;
}

/** @param kills - how often the command is killed before it may end */
export async function loseAndRestore({ total, kills }: { readonly total: number; readonly kills: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-restore-'));
  const connection = join(folder, 'gateway.json');
  writeFileSync(connection, JSON.stringify(gateway()), { mode: 0o600 });
  const endpoint = await startWebhookEndpoint();
  const client = await newClient({});
  const dynamo = documentClient();
  const raw = new DynamoDBClient(clientConfig());
  const messages = gateway().tables.messages ?? '';
  let numbers = 0;
  const number = (): string => {
    numbers += 1;
    return `+447951${String(numbers).padStart(6, '0')}`;
  };

  async function send(count: number, more: (index: number) => object = () => ({})): Promise<Sent[]> {
    const sent: Sent[] = [];
    for (const chunk of chunksOf(
      Array.from({ length: count }, (_, index) => index),
      25,
    )) {
      sent.push(
        ...(await Promise.all(
          chunk.map(async (index) => {
            const to = index % 5 === 4 ? (ends[Math.floor(index / 5) % ends.length] ?? '') : number();
            const { status, body } = await client.post('/api/v1/sms/send', {
              to,
              message: 'Hello',
              ...(index % 2 === 0 ? { webhook_url: endpoint.url } : {}),
              ...more(index),
            });
            if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
            return { id: String(body.message_id), to };
          }),
        )),
      );
    }
    return sent;
  }

  /** Ends by itself, or is killed after so many milliseconds; returns the exit status. */
  function restore(to: Date, words: readonly string[], killAfterMs?: number): Promise<number | null> {
    const given = [
      program,
      '--gateway',
      connection,
      'restore',
      '--to',
      to.toISOString(),
      '--table',
      'messages',
    ];
    const child = spawn(process.execPath, [...given, '--progress', folder, ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const timer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    return new Promise((resolve) => {
      child.on('close', (status) => {
        clearTimeout(timer);
        resolve(status);
      });
    });
  }

  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));

  async function emptyTable(): Promise<number> {
    let lost = 0;
    for (;;) {
      const { Items = [] } = await dynamo.send(
        new ScanCommand({ TableName: messages, ProjectionExpression: 'message_id' }),
      );
      if (Items.length === 0) return lost;
      for (const chunk of chunksOf(Items, 25))
        await Promise.all(
          chunk.map(({ message_id }) =>
            dynamo.send(new DeleteCommand({ TableName: messages, Key: { message_id } })),
          ),
        );
      lost += Items.length;
    }
  }

  const before = await send(total, (index) =>
    index % 10 === 9
      ? { scheduled_at: new Date(Date.now() + (index % 20 === 9 ? 90_000 : 900_000)).toISOString() }
      : {},
  );
  const to = new Date(Math.floor(Date.now() / 1000) * 1000);
  await dynamoSideTables(raw).restore(messages, to);
  // Traffic goes on: what was queued is handed over, delivered and reported, and more is accepted.
  const after = await send(Math.ceil(total / 20));
  await pause(10_000);
  const lost = await emptyTable();

  const first = await restore(to, []);
  expect(first).toBe(1);
  const refused = await fetch(`${gateway().base_url}/api/v1/account`);
  const report = read('messaging-gateway-local.report.json') as RestoreReport;
  const decided = ['--unknown-messages', 'fail', '--confirm'];
  let deaths = 0;
  for (let round = 0; round < kills; round += 1)
    if ((await restore(to, decided, 1500 + round * 250)) === null) deaths += 1;
  const last = await restore(to, decided);
  // Functions see the end of the maintenance within a minute.
  await eventually(async () => {
    const { status } = await fetch(`${gateway().base_url}/api/v1/account`);
    return status === 503 ? undefined : status;
  });
  return {
    before,
    after,
    lost,
    report,
    refused,
    deaths,
    last,
    client,
    endpoint,
    handedOver: async (of: readonly Sent[]) => {
      const numbers = of.map(({ to: person }) => person).filter((person) => !ends.includes(person));
      return Promise.all(numbers.map(async (person) => (await outboxOf(person)).length));
    },
    async close() {
      await endpoint.close();
      dynamo.destroy();
      raw.destroy();
    },
  };
}

/** What must hold after the restore, when all that was due has been done. */
export async function expectNothingTwice(run: Awaited<ReturnType<typeof loseAndRestore>>): Promise<void> {
  expect(run.refused.status).toBe(503);
  expect(run.refused.headers.get('retry-after')).toBe('120');
  expect(run.last).toBe(0);
  // Those that were scheduled within minutes of the time, and the reviews of a minute.
  await pause(120_000);
  const counts = await run.handedOver([...run.before, ...run.after]);
  expect(counts.filter((count) => count > 1)).toEqual([]);
  const posts = run.endpoint.posts.map(({ headers }) => String(headers['webhook-id']));
  expect(posts.length - new Set(posts).size).toBe(0);
  const { messages, lost_by_client, lost_messages } = run.report;
  expect(Object.values(messages).reduce((sum, count) => sum + count, 0)).toBe(run.before.length);
  expect(Object.values(lost_by_client)).toEqual([run.after.length]);
  const after = new Set(run.after.map(({ id }) => id));
  expect(lost_messages.every(({ message_id }) => after.has(message_id))).toBe(true);
  const { body } = await run.client.call('GET', '/api/v1/account/usage');
  const usage = body.usage as readonly { readonly messages: number }[];
  expect(usage.reduce((sum, entry) => sum + entry.messages, 0)).toBe(run.before.length + run.after.length);
  console.log(`${run.lost} rows lost, ${run.deaths} deaths: ${JSON.stringify(messages)}`);
}
