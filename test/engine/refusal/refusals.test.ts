/** Counts of refusals add up over processes, and a refusal that is kept is not replaced by another with its request id. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Refusal } from '../../../shared/http/record-refusals.ts';
import { dynamoRefusalReader, dynamoRefusalWriter } from '../../../shared/http/refusals.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['rate_counters']);
});
afterAll(() => tables.drop());

const refusal: Refusal = {
  request_id: 'request-1',
  at: '2026-11-20T12:34:56.000Z',
  client_id: 'client_1',
  endpoint: 'POST /api/v1/sms/send',
  status: 429,
  reason: 'rate_limit_exceeded',
  message: 'The limit of 60 requests per minute is used up.',
  details: [],
};

it('counts by client, hour, endpoint and reason, and finds the last by its request id', async () => {
  const write = dynamoRefusalWriter(tables.dynamo, tables.names.rate_counters);
  const reader = dynamoRefusalReader(tables.dynamo, tables.names.rate_counters);
  const invalid = { ...refusal, request_id: 'request-2', reason: 'invalid_request', status: 400 };
  await Promise.all([
    write(refusal, 1),
    write({ ...refusal, request_id: 'request-3' }, 41),
    write(invalid, 2),
  ]);
  await write({ ...refusal, request_id: 'request-4' }, 1);
  await write({ ...refusal, request_id: 'request-5', at: '2026-11-20T13:00:00.000Z' }, 1);
  await write({ ...refusal, request_id: 'request-6', client_id: 'client_2' }, 1);

  const counts = await reader.counts(['client_1'], ['2026-11-20T11', '2026-11-20T12']);
  const common = { client_id: 'client_1', hour: '2026-11-20T12:00:00.000Z', endpoint: refusal.endpoint };
  expect(counts.toSorted((one, other) => other.at_least - one.at_least)).toEqual([
    { ...common, reason: 'rate_limit_exceeded', at_least: 43, last_request_id: 'request-4' },
    { ...common, reason: 'invalid_request', at_least: 2, last_request_id: 'request-2' },
  ]);
  expect(await reader.find('request-2')).toEqual(invalid);
  expect(await reader.find('request-0')).toBeUndefined();
});

it('keeps the first refusal of a request id, which a caller can choose', async () => {
  const write = dynamoRefusalWriter(tables.dynamo, tables.names.rate_counters);
  const reader = dynamoRefusalReader(tables.dynamo, tables.names.rate_counters);
  await write({ ...refusal, request_id: 'chosen', client_id: 'client_4' }, 1);
  await write({ ...refusal, request_id: 'chosen', client_id: 'client_3' }, 1);
  expect(await reader.findMany(['chosen', 'chosen'])).toEqual([
    { ...refusal, request_id: 'chosen', client_id: 'client_4' },
  ]);
});
