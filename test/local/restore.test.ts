/**
 * The restore of docs/rotate-and-restore.md, by its commands, on a gateway of its own: the table of messages is lost under
 * traffic, with messages in every state, and the commands are killed at three points.
 * `npm run test:release -- restore` has 2,000 messages.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { transitions } from '../../shared/message/message.ts';
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

it('every state of a message is lost, and the commands die at three points', () => {
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
  expect(run.deaths).toBe(3);
});

it('every message of the time has its row again, held unless it was final', () => {
  const held = new Set(Object.values(run.report.held).flat());
  for (const [id, { status }] of run.atTime) {
    expect([id, run.held.get(id)?.status]).toEqual([id, status]);
    expect([id, held.has(id)]).toEqual([id, !transitions[status].final]);
  }
  expect(Object.values(run.report.held).map(({ length }) => length > 0)).toEqual([true, true, true]);
});

it('nothing is handed over or posted by the restore itself', () => {
  for (const id of run.atTime.keys())
    expect([id, run.handedOver.held.get(id)]).toEqual([id, run.handedOver.lost.get(id)]);
  expect(run.posts.held).toEqual([]);
});

it('a key that was revoked after the time stays unusable until it is enabled, and the report says that it was revoked', () => {
  expect(run.revokedKey).toMatchObject({ held: 401, enabled: 200 });
  expect(run.report.disabled).toMatchObject([
    { table: 'api-keys', id: run.revokedKey.id, since: [{ kind: 'api_key_revoked' }] },
  ]);
});

it('what was due has ended, and the rest goes on', () => {
  const { due, scheduled, sent } = run.report.held;
  const isOneOf = (ids: readonly string[], ...expected: readonly string[]) => {
    for (const id of ids)
      expect([id, expected]).toEqual([id, expect.arrayContaining([run.ended.get(id)?.status])]);
  };
  isOneOf(due, 'failed', 'canceled');
  isOneOf(scheduled, 'scheduled');
  isOneOf(sent, 'sent', 'delivered', 'expired');
  for (const id of [...scheduled, ...sent]) expect(run.ended.get(id)).not.toHaveProperty('held');
});

it('nobody gets a message twice, and who was accepted after the restore gets one', () => {
  expect([...run.handedOver.ended].filter(([, count]) => count > 1)).toEqual([]);
  for (const id of run.trickle.ids) expect([id, run.handedOver.ended.get(id)]).toEqual([id, 1]);
});

it('no webhook is repeated', () => {
  const repeated = countsOf(run.posts.ended);
  expect(Object.entries(repeated).filter(([, count]) => count > 1)).toEqual([]);
});

it('usage has every accepted message once, those of the time as it counted them before the loss', async () => {
  const rows = [
    ...run.lost.values(),
    ...[...run.ended.values()].filter(({ message_id: id }) => !run.atTime.has(id)),
  ];
  const expected = countsOf(rows.map(({ status }) => (status === 'sending' ? 'queued' : status)));
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
