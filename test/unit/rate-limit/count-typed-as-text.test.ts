/** A count of requests that a person made a text, or NULL, in the console is full until its window ends, and never an error. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import { dynamoRateUse, fullCount } from '../../../shared/limit/rate-counter.dynamo.ts';
import { counterKey } from '../../../shared/limit/subject.ts';
import { type WindowName, windowsAt } from '../../../shared/limit/windows.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const subject = { kind: 'client', clientId: 'client-a' } as const;
const limits = { perMinute: 60, perHour: 1000, perDay: 10_000 };
const windows = windowsAt(noon);
const counter = counterKey(subject, 'POST /api/v1/sms/send', windows.day);

async function withCount(window: WindowName, count: unknown) {
  const { rateCounter, tables } = inMemoryStores();
  const { dynamo, names } = tables;
  const check = (now: Date) =>
    rateLimiter({ countInRow: rateCounter, limitsOf: async () => limits }).check(subject, 'sms_send', now);
  await check(noon);
  await dynamo.send(
    new UpdateCommand({
      TableName: names.rate_counters,
      Key: { counter: tables.rows('rate_counters')[0]?.counter },
      UpdateExpression: 'SET #count = :count',
      ExpressionAttributeNames: { '#count': windows.attributes[window] },
      ExpressionAttributeValues: { ':count': count },
    }),
  );
  return { check, use: dynamoRateUse(dynamo, names.rate_counters), tables };
}

it.each<[WindowName, number]>([
  ['minute', 60],
  ['hour', 3600],
  ['day', 43_200],
])('the %s is full', async (window, seconds) => {
  for (const count of ['4', null, true, [4]]) {
    const { check, use } = await withCount(window, count);
    for (const _ of [1, 2])
      expect(await check(noon)).toMatchObject({ admitted: false, binding: { window, remaining: 0 } });
    expect((await use(counter, windows))[window]).toBe(fullCount);
    expect(await check(addSeconds(noon, seconds))).toMatchObject({ admitted: true });
  }
});

it.each([
  [-2, 0],
  [2.5, 4],
])('%d, which a person entered, is counted on from', async (count, used) => {
  const { check, use } = await withCount('minute', count);
  const { windows: states, admitted } = await check(noon);
  expect({ admitted, remaining: states[0]?.remaining }).toEqual({ admitted: true, remaining: 60 - used });
  expect((await use(counter, windows)).minute).toBe(used);
});
