/** At 80 % and 100 % of a spend cap: one metric and one Activity Log entry for each window, on the real tables. */

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { capProcess } from '../../support/cap/caps.ts';
import { countedMetrics } from '../../support/doubles/counted-metrics.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aClient, rowsOf } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:05:17.000Z');
/** 0.04 each. */
const message = { channel: 'sms', country: 'GB' } as const;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['rate_counters', 'activity_log']);
});
afterAll(() => tables.drop());

async function take(
  process: ReturnType<typeof capProcess>,
  clientId: string,
  recipients: number,
  at = now,
): Promise<void> {
  const messages = Array.from({ length: recipients }, () => message);
  await process(clientId, messages, at);
}

async function entriesOf(clientId: string): Promise<string[]> {
  const rows = await rowsInOrder(clientId);
  return rows.map(
    ({ kind, after }) => `${String(kind)} ${String((after as Record<string, unknown>).window)}`,
  );
}

/** As the log lists them: by id. */
async function rowsInOrder(clientId: string): ReturnType<typeof rowsOf> {
  const rows = await rowsOf(tables, tables.names.activity_log, clientId);
  return rows.toSorted((one, other) => (String(one.entry_id) < String(other.entry_id) ? -1 : 1));
}

it('are given by the request that reaches the percentage, and not again', async () => {
  const { client_id } = aClient();
  const metrics = countedMetrics();
  const process = capProcess(tables, () => ({ spend: { perDay: 4 } }));
  await take(process, client_id, 79);
  expect(metrics).toEqual([]);
  await take(process, client_id, 1);
  await take(process, client_id, 10);
  expect(metrics).toEqual([]);
  await take(process, client_id, 10);
  await expect(take(process, client_id, 1)).rejects.toMatchObject({ code: 'spend_limit_reached' });
  expect(metrics).toEqual(['SpendCapReached']);
  expect(await rowsInOrder(client_id)).toMatchObject([
    {
      kind: 'spend_cap_nearly_reached',
      at: now.toISOString(),
      summary: '80 % of the spend limit of 4 EUR per day is reached.',
      after: { window: 'day', limit: 4, used: 3.2, currency: 'EUR', resets_at: '2026-11-21T00:00:00.000Z' },
    },
    { kind: 'spend_cap_reached', after: { used: 4 } },
  ]);
});

it('are given once by fifty requests at once in twenty processes, in each window', async () => {
  const metrics = countedMetrics();
  const { client_id } = aClient();
  const processes = Array.from({ length: 20 }, () =>
    capProcess(tables, () => ({ spend: { perDay: 1, perMonth: 1.5 } })),
  );
  const burst = async (at: Date): Promise<void> => {
    await Promise.allSettled(
      Array.from({ length: 50 }, async (_, index) => processes[index % 20]?.(client_id, [message], at)),
    );
  };
  await burst(now);
  expect((await entriesOf(client_id)).toSorted()).toEqual([
    'spend_cap_nearly_reached day',
    'spend_cap_reached day',
  ]);
  await burst(addSeconds(now, 86_400));
  expect((await entriesOf(client_id)).toSorted()).toEqual([
    'spend_cap_nearly_reached day',
    'spend_cap_nearly_reached month',
    'spend_cap_reached day',
    'spend_cap_reached month',
  ]);
  expect(new Set(metrics)).toEqual(new Set(['SpendCapReached']));
});

it.each(['before', 'after'] as const)(
  'are recorded once where the process dies %s the notice is marked as given',
  async (when) => {
    const { client_id } = aClient();
    const caps = (): StageCaps => ({ spend: { perDay: 1 } });
    // The first call takes, the second adds the entry, the third marks.
    const dying = capProcess(tables, caps, { at: 2, when, calls: 0 });
    await take(dying, client_id, 20);
    expect(await entriesOf(client_id)).toEqual(['spend_cap_nearly_reached day']);
    const next = capProcess(tables, caps);
    await take(next, client_id, 1, addSeconds(now, 20));
    expect(await entriesOf(client_id)).toEqual(['spend_cap_nearly_reached day']);
  },
);

it('are given for a refusal although less than that is used, and leave no row without an end', async () => {
  const { client_id } = aClient();
  const process = capProcess(tables, () => ({ spend: { perMonth: 1 } }));
  for (let tries = 0; tries < 2; tries += 1) {
    await expect(take(process, client_id, 26)).rejects.toMatchObject({ code: 'spend_limit_reached' });
  }
  expect(await entriesOf(client_id)).toEqual(['spend_cap_reached month']);
});

it('say how much is used, and what was refused, where that is not the whole limit', async () => {
  const { client_id } = aClient();
  const process = capProcess(tables, () => ({ spend: { perDay: 1 } }));
  await take(process, client_id, 15);
  await expect(take(process, client_id, 11)).rejects.toMatchObject({ code: 'spend_limit_reached' });
  const time = now.toISOString().slice(11, 16);
  expect(await rowsInOrder(client_id)).toMatchObject([
    {
      kind: 'spend_cap_reached',
      summary: `60 % of the spend limit of 1 EUR per day is used; a request of 0.44 EUR was refused at ${time} UTC.`,
      after: { used: 0.6, limit: 1 },
    },
  ]);
});

it('are given again when the cap was raised, and not when it was lowered', async () => {
  const { client_id } = aClient();
  let caps: StageCaps = { spend: { perDay: 1 } };
  const process = capProcess(tables, () => caps);
  await take(process, client_id, 20);
  caps = { spend: { perDay: 0.9 } };
  await take(process, client_id, 1);
  expect(await entriesOf(client_id)).toEqual(['spend_cap_nearly_reached day']);
  caps = { spend: { perDay: 2 } };
  await take(process, client_id, 20);
  expect(await entriesOf(client_id)).toHaveLength(2);
});

it('are not given for a cap on messages', async () => {
  const { client_id } = aClient();
  const metrics = countedMetrics();
  const process = capProcess(tables, () => ({ messages: { perDay: 10 } }));
  await take(process, client_id, 10);
  await expect(take(process, client_id, 1)).rejects.toMatchObject({ code: 'message_limit_reached' });
  expect(metrics).toEqual([]);
  expect(await entriesOf(client_id)).toEqual([]);
});

it('that cannot be recorded stop no request', async () => {
  const { client_id } = aClient();
  const lost = { ...tables, names: { ...tables.names, activity_log: 'no-such-table' } };
  const process = capProcess(lost, () => ({ spend: { perDay: 1 } }));
  await expect(take(process, client_id, 20)).resolves.toBeUndefined();
});
