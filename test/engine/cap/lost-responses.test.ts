/**
 * A take whose answer is lost is repeated by the SDK, and takes its amount once more: never is more accepted than the cap
 * allows, and what is counted is what was accepted and what repeated calls took (docs/decisions/caps-are-exact.md).
 */

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import { capProcess, usedOf } from '../../support/cap/caps.ts';
import { losingResponses } from '../../support/engine/lost-responses.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aClient } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:05:17.000Z');

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['rate_counters', 'activity_log']);
});
afterAll(() => tables.drop());

/** Takes one message at a time, as requests of as many clients' threads do. */
async function takeAtOnce(times: number, caps: StageCaps, isLost: (response: number) => boolean) {
  const { client_id } = aClient();
  const { dynamo, lost } = losingResponses(isLost);
  const take = capProcess({ ...tables, dynamo }, () => caps);
  const takes = Array.from({ length: times }, () =>
    take(client_id, [{ channel: 'sms', country: 'GB' }], now),
  );
  const results = await Promise.allSettled(takes);
  dynamo.destroy();
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const used = (await usedOf(tables, client_id, now, caps))['messages day'];
  return { accepted: times - refusals.length, refusals, used, lost: lost() };
}

it('is accepted, and counts once more for each lost response', async () => {
  const caps = { messages: { perDay: 10 } };
  expect(await takeAtOnce(1, caps, (response) => response < 2)).toMatchObject({
    accepted: 1,
    used: 3,
    lost: 2,
  });
});

it('is refused where its first call took the last of the cap', async () => {
  const caps = { messages: { perDay: 1 } };
  expect(await takeAtOnce(1, caps, (response) => response < 1)).toMatchObject({
    refusals: [expect.objectContaining({ code: 'message_limit_reached' })],
    used: 1,
    lost: 1,
  });
});

it('fails where no call has a response, and stays counted', async () => {
  const caps = { messages: { perDay: 10 } };
  expect(await takeAtOnce(1, caps, () => true)).toMatchObject({
    refusals: [expect.objectContaining({ name: 'TimeoutError' })],
    used: 3,
    lost: 3,
  });
});

it('of 60 takes at once uses the cap to the end and no further', async () => {
  const caps = { messages: { perDay: 40 } };
  const { accepted, refusals, used, lost } = await takeAtOnce(60, caps, (response) => response % 7 === 0);
  expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['message_limit_reached']));
  expect(lost).toBeGreaterThan(0);
  expect([used, accepted + lost]).toEqual([40, 40]);
});
