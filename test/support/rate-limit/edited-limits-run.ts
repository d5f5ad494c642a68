/**
 * One client's requests while its limits change: administrators and people in the console edit one row at the same moments,
 * over the threshold of shards and back, and calls of the tables take their time and fail. Another client's messages are
 * sent beside it.
 */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { setLimits } from '../../../shared/admin/limits.ts';
import { policies } from '../../../shared/contract/routes.ts';
import { dynamoRowEditor, dynamoRowReader } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import { overrideTable } from '../../../shared/limit/override-row.ts';
import { overrideReader } from '../../../shared/limit/overrides.ts';
import { dynamoRateCounter } from '../../../shared/limit/rate-counter.dynamo.ts';
import { windowsAt } from '../../../shared/limit/windows.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { inMemoryTables } from '../engine/in-memory-tables.ts';
import { runStart, secondsToHandOver } from '../message/campaign-run.ts';
import { aMessage } from '../message/example-message.ts';
import { plainRow } from '../simulation/direct-database.ts';
import { simulatedGateway } from '../simulation/gateway.ts';

interface EditedLimitsRun {
  readonly violations: readonly string[];
  readonly admitted: number;
  readonly refused: number;
  /** Changes of the row, by administrators and by hand. */
  readonly changes: number;
  /** From the request of the other client's messages to their hand-overs. */
  readonly otherSeconds: readonly number[];
}

interface Wanted {
  readonly seed: number;
  readonly requests: number;
}

const { endpoint } = policies.sms_send;
/** The row for every client, so that no client has to exist for it. */
const key = { client_id: '*', endpoint };
const machines = 4;
const runSeconds = 1200;
/** Changes count within this time. */
const inForceMs = 60_000;
const failedShare = 0.04;
/** On both sides of the threshold above which a limit has several counters. */
const perMinutes = [20, 60, 40_000, 90_000];

export async function runEditedLimits({ seed, requests }: Wanted): Promise<EditedLimitsRun> {
  const random = randomFrom(seed);
  const oneOf = (values: readonly number[]): number => values[Math.floor(random() * values.length)] ?? 0;
  const perDays = [requests / 8, requests / 5, requests / 3].map(Math.floor);
  const gateway = simulatedGateway({
    startAt: runStart,
    random,
    clientIds: ['noisy', 'other'],
    answer: () => ({ afterMs: 50, status: 200 }),
    accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
  });
  const { time } = gateway.world;
  const violations: string[] = [];
  const versions: { readonly atMs: number; readonly row: Readonly<Record<string, unknown>> }[] = [];
  let lastNote: string | undefined;

  const tables = inMemoryTables({
    async around(_call, run) {
      await time.sleep(2 + random() * 40);
      const drawn = random();
      if (drawn < failedShare / 2) throw new Error('the call failed');
      const output = run();
      await time.sleep(random() * 20);
      if (drawn < failedShare) throw new Error('the response was lost');
      return output;
    },
    onChange({ table, after }) {
      if (table !== 'limit_overrides') return;
      const row = plainRow(after ?? {});
      versions.push({ atMs: time.now(), row });
      if (row.note === lastNote) return;
      if (String(row.changed_by ?? '') === '') lastNote = String(row.note);
      else violations.push(`an administrator's change made the note ${String(row.note)} of ${lastNote}`);
    },
  });
  const clock = () => new Date(time.now());
  const { limit_overrides, rate_counters } = tables.names;
  const overrides = {
    ...dynamoRowReader(tables.dynamo, limit_overrides),
    ...dynamoRowEditor(tables.dynamo, limit_overrides, overrideTable),
  };
  const administrator = {
    overrides,
    clock,
    capDefaults: {},
    currency: 'USD',
  } as unknown as AdminDependencies;
  const counter = dynamoRateCounter(tables.dynamo, rate_counters);
  const limiters = Array.from({ length: machines }, () => {
    const { limitsOf } = overrideReader(overrides, clock, () => undefined);
    return rateLimiter({ counter, limitsOf, random });
  });

  let edits = 0;
  /** The whole row, as the console saves it. */
  function editByHand(): void {
    edits += 1;
    const row = { ...key, per_minute: oneOf(perMinutes), per_day: oneOf(perDays), note: `by hand ${edits}` };
    tables.dynamo.send(new PutCommand({ TableName: limit_overrides, Item: row })).catch(() => undefined);
  }
  function change(): void {
    const values = random() < 0.5 ? { per_minute: oneOf(perMinutes) } : { per_day: oneOf(perDays) };
    setLimits(administrator, 'admin', '*', { endpoint, ...values }).catch(() => undefined);
  }

  const decided: { readonly atMs: number; readonly isAdmitted: boolean }[] = [];
  async function ask(limiter: (typeof limiters)[number]): Promise<void> {
    const now = clock();
    try {
      const { admitted } = await limiter.check({ kind: 'client', clientId: 'noisy' }, 'sms_send', now);
      decided.push({ atMs: now.getTime(), isAdmitted: admitted });
      if (admitted) await send('noisy', `noisy ${decided.length}`);
    } catch {
      // Its caller gets a 503; whether it counts is not known.
    }
  }
  const others: string[] = [];
  async function send(client_id: string, name: string): Promise<string> {
    const message_id = derivedId('msg', name);
    const at = clock().toISOString();
    const { webhook_url: _url, ...message } = aMessage({
      ...{ message_id, client_id, status: 'queued', created_at: at, queued_at: at },
      expires_at: new Date(time.now() + 7_200_000).toISOString(),
    });
    await gateway.messages.create(message);
    return message_id;
  }

  const startMs = runStart.getTime();
  const within = (): number => startMs + random() * runSeconds * 1000;
  time.at(startMs, editByHand);
  for (let n = 0; n < requests; n += 1) {
    const limiter = limiters[n % machines];
    // Most of them in a few bursts.
    const atMs =
      random() < 0.7 ? startMs + 5000 + Math.floor(random() * 12) * 95_000 + random() * 3000 : within();
    if (limiter !== undefined) time.at(atMs, () => void ask(limiter));
  }
  for (let n = 0; n < 60; n += 1) {
    const atMs = within();
    time.at(atMs, change);
    if (n % 2 === 0) time.at(atMs + random() * 150, editByHand);
  }
  for (let second = 0; second < runSeconds; second += 5)
    time.at(
      startMs + second * 1000,
      () => void send('other', `other ${second}`).then((id) => others.push(id)),
    );
  await gateway.run(runSeconds + 60);

  const byWindow = Map.groupBy(
    decided.filter(({ isAdmitted }) => isAdmitted),
    ({ atMs }) => windowsAt(new Date(atMs)).attributes.minute,
  );
  for (const [minute, some] of byWindow) judge(minute, some, 'per_minute');
  judge('the day', [...byWindow.values()].flat(), 'per_day');

  function judge(window: string, some: readonly { readonly atMs: number }[], attribute: string): void {
    const times = some.map(({ atMs }) => atMs);
    const [fromMs, untilMs] = [Math.min(...times) - inForceMs, Math.max(...times) + 1000];
    const known = versions.filter(({ atMs }) => atMs <= untilMs);
    const first = known.findLastIndex(({ atMs }) => atMs <= fromMs);
    const limits = known.slice(Math.max(0, first)).map(({ row }) => Number(row[attribute]));
    if (some.length > Math.max(...limits))
      violations.push(
        `${window}: ${some.length} requests were admitted, at most ${Math.max(...limits)} may be`,
      );
  }

  return {
    violations,
    admitted: [...byWindow.values()].flat().length,
    refused: decided.filter(({ isAdmitted }) => !isAdmitted).length,
    changes: versions.length,
    otherSeconds: await secondsToHandOver(gateway, others),
  };
}
