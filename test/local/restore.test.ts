/**
 * `npm run admin -- restore` on a gateway of its own, whose table of messages is lost under traffic, with messages in every
 * state, and whose command is killed at ten points. `npm run test:release -- restore local/restore` has 2,000 messages.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { loseAndRestore, type RestoredGateway } from '../support/restore/restored-gateway.ts';
import { countsOf } from '../support/restore/traffic.ts';

const total = Number(process.env.RESTORED_MESSAGES ?? 100);
const minutes = 60_000;

let stop: (() => Promise<unknown>) | undefined;
let run: RestoredGateway;
beforeAll(async () => {
  ({ stop } = await runGateway());
  run = await loseAndRestore(total);
  console.log(`${total} messages, seconds until each step had ended: ${JSON.stringify(run.seconds)}`);
}, 25 * minutes);
afterAll(async () => {
  await stop?.();
});

const statesOf = (rows: RestoredGateway['atTime']) =>
  countsOf([...rows.values()].map(({ status }) => status));

it('every state of a message is lost, and the command dies at ten points', () => {
  expect(run.atTime.size).toBe(total);
  expect(Object.keys(statesOf(run.atTime))).toEqual(
    expect.arrayContaining([
      'scheduled',
      'queued',
      'sent',
      'delivered',
      'read',
      'failed',
      'expired',
      'canceled',
    ]),
  );
  for (const id of run.atTime.keys()) expect(run.lost.has(id)).toBe(true);
  expect(run.deaths).toBe(10);
});

it('the plan shows the table and the steps, and stops nothing', () => {
  expect(run.plan).toMatchObject({ status: 0, refused: 0 });
  expect(run.plan.printed).toMatch(/^messages /m);
  expect(run.plan.printed).toContain('Steps: the API answers 503');
});

it('nobody gets a message twice, and who was accepted after the restore gets one', () => {
  expect([...run.handedOver].filter(([, count]) => count > 1)).toEqual([]);
  for (const id of run.trickle.ids) expect([id, run.handedOver.get(id)]).toEqual([id, 1]);
});

it('no webhook is repeated', () => {
  const repeated = countsOf(run.posts.map(({ id }) => id));
  expect(Object.entries(repeated).filter(([, count]) => count > 1)).toEqual([]);
});

it('every message has its row again, and only what is scheduled or waits for a receipt is not final', () => {
  for (const id of run.atTime.keys()) expect([id, run.ended.has(id)]).toEqual([id, true]);
  const { queued, sending } = statesOf(run.ended);
  expect({ queued, sending }).toEqual({});
});

it('what changed after the time is listed, with a webhook or only in the stream, and the row is in that state', () => {
  const reported = new Set(run.posts.map(({ messageId }) => messageId));
  const proven = [...run.atTime.values()].filter(
    ({ message_id: id, status }) => run.lost.get(id)?.status === 'delivered' && status !== 'delivered',
  );
  expect(new Set(proven.map(({ message_id }) => reported.has(message_id)))).toEqual(new Set([true, false]));
  for (const { message_id: id } of proven) {
    expect(run.report.changed_messages).toContain(id);
    expect(run.copied.get(id)).toMatchObject({ delivered_at: run.lost.get(id)?.delivered_at });
  }
});

it('what was accepted after the time is listed with its state, and what was due and nothing proves is named unknown', () => {
  const { changed_messages, unknown_messages, messages, lost_messages, lost_by_client } = run.report;
  const listed = new Set([...changed_messages, ...unknown_messages]);
  for (const { message_id: id, status } of run.atTime.values()) {
    if (run.lost.get(id)?.status === status || status === 'sent') continue;
    expect([id, listed.has(id)]).toEqual([id, true]);
  }
  expect(unknown_messages.length).toBeGreaterThan(0);
  expect(Object.values(messages).reduce((sum, count) => sum + count, 0)).toBe(total);
  const later = [...run.lost.keys()].filter((id) => !run.atTime.has(id));
  expect(Object.values(lost_by_client)).toEqual([later.length]);
  expect(lost_messages.map(({ message_id }) => message_id).toSorted()).toEqual(later.toSorted());
  for (const { message_id, client_id, status } of lost_messages)
    expect(run.lost.get(message_id)).toMatchObject({ client_id, status });
  expect(run.printed).toContain(`usage counted ${later.length} that have no row now`);
  expect(run.printed).toContain(`${unknown_messages.length} messages were due, and nothing proves`);
});

it('usage has every accepted message once, and no state below zero', async () => {
  const counts: Record<string, number> = {};
  const add = (row: { readonly status?: string } | undefined, amount: number) => {
    const name = row?.status === 'sending' ? 'queued' : String(row?.status);
    counts[name] = (counts[name] ?? 0) + amount;
  };
  for (const [id, row] of run.lost) {
    add(row, 1);
    const copied = run.copied.get(id);
    // What was in flight stays as it was counted before the loss.
    if (copied === undefined || 'usage_closed' in copied) continue;
    add(copied, -1);
    add(run.ended.get(id), 1);
  }
  for (const [id, row] of run.ended) if (!run.atTime.has(id)) add(row, 1);
  const expected = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  // The last changes are counted when their window ends.
  for (let waits = 0; waits < 60; waits += 1) {
    if (isDeepStrictEqual(await run.usageByStatus(), expected)) break;
    await pause(500);
  }
  expect(await run.usageByStatus()).toEqual(expected);
});

it('what was on before is on again, and nothing else', () => {
  expect(run.workers.before.schedules.length).toBeGreaterThan(0);
  expect(run.workers.after).toEqual(run.workers.before);
});

it('the API answers 503 with Retry-After meanwhile', () => {
  expect(run.trickle.refused.length).toBeGreaterThan(0);
  for (const refusal of run.trickle.refused) expect(refusal).toEqual({ status: 503, retryAfter: '120' });
});
