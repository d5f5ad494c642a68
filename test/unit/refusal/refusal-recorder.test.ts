/** Refusals are counted with few writes, never change the response, and are kept without what the client sent. */
import { expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import {
  isKept,
  type Refusal,
  refusalRecorder,
  withoutContent,
} from '../../../shared/http/record-refusals.ts';
import { dynamoRefusalReader, dynamoRefusalWriter } from '../../../shared/http/refusals.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';

const start = new Date('2026-11-20T12:00:00.000Z');

function recorder(fails: () => boolean = () => false) {
  const written: [reason: string, count: number, requestId: string][] = [];
  let at = start;
  let requests = 0;
  const record = refusalRecorder({
    clock: () => at,
    write: async ({ reason, request_id }, count) => {
      if (fails()) throw new Error('no table');
      written.push([reason, count, request_id]);
    },
  });
  const refuse = (reason: string, change: Partial<Refusal> = {}): Promise<void> => {
    requests += 1;
    return record({
      request_id: `request-${requests}`,
      at: at.toISOString(),
      client_id: 'client_1',
      endpoint: 'POST /api/v1/sms/send',
      status: 429,
      reason,
      message: 'No.',
      details: [],
      ...change,
    });
  };
  const wait = (seconds: number): void => {
    at = new Date(at.getTime() + seconds * 1000);
  };
  return { written, refuse, wait };
}

it('each of the first eight of a minute is kept, so that the last one of them is found', async () => {
  const { written, refuse } = recorder();
  for (let i = 1; i <= 8; i += 1) {
    await refuse('invalid_request');
    expect(written).toHaveLength(i);
    expect(written.at(-1)).toEqual(['invalid_request', 1, `request-${i}`]);
  }
});

it('a thousand refusals within a minute are fourteen writes, which count half of them at least, and a later one the rest', async () => {
  const { written, refuse, wait } = recorder();
  const counted = (): number => written.reduce((sum, [, count]) => sum + count, 0);
  for (let i = 1; i <= 1000; i += 1) {
    await refuse('rate_limit_exceeded');
    expect(counted()).toBeGreaterThan(i / 2);
  }
  expect(written).toHaveLength(14);
  expect(written.slice(0, 2)).toEqual([
    ['rate_limit_exceeded', 1, 'request-1'],
    ['rate_limit_exceeded', 1, 'request-2'],
  ]);
  wait(60);
  await refuse('rate_limit_exceeded');
  expect(counted()).toBe(1001);
  expect(written.at(-1)?.[2]).toBe('request-1001');
});

it('each client, endpoint, reason and hour is counted for itself', async () => {
  const { written, refuse, wait } = recorder();
  await refuse('forbidden');
  await refuse('forbidden', { client_id: 'client_2' });
  await refuse('forbidden', { endpoint: 'POST /api/v1/sms/bulk' });
  await refuse('invalid_request');
  expect(written.map(([, count]) => count)).toEqual([1, 1, 1, 1]);
  for (let i = 0; i < 8; i += 1) await refuse('forbidden');
  expect(written.slice(4)).toHaveLength(7);
  wait(3600);
  await refuse('invalid_request');
  // That of the hour before, which has waited, and the new one.
  expect(written.slice(11)).toEqual([
    ['invalid_request', 1, 'request-13'],
    ['forbidden', 1, 'request-12'],
  ]);
});

it('a write that fails does not fail the refusal, is not repeated for each one, and its count is not lost', async () => {
  let [isDown, attempts] = [true, 0];
  const { written, refuse, wait } = recorder(() => {
    attempts += 1;
    return isDown;
  });
  for (let i = 0; i < 1000; i += 1) await refuse('forbidden');
  expect(written).toEqual([]);
  expect(attempts).toBeLessThan(20);
  isDown = false;
  wait(60);
  await refuse('forbidden');
  expect(written).toEqual([['forbidden', 1001, 'request-1001']]);
});

it('a process that meets many combinations keeps to a bounded memory, and counts on', async () => {
  const { written, refuse } = recorder();
  for (let i = 0; i < 2000; i += 1) await refuse('forbidden', { client_id: `client_${i}` });
  expect(written).toHaveLength(2000);
});

const refusal = {
  at: start.toISOString(),
  client_id: 'client_1',
  endpoint: 'POST /api/v1/sms/send',
  status: 400,
  reason: 'invalid_request',
  message: 'No.',
  details: [],
};

it('a write that is repeated after a lost response counts once, also where the caller gives each request one id', async () => {
  const { dynamo, names } = inMemoryTables({
    around: ({ operation }, run) => {
      const first = run();
      return operation === 'UpdateItem' ? run() : first;
    },
  });
  const write = dynamoRefusalWriter(dynamo, names.rate_counters);
  for (let i = 0; i < 3; i += 1) await write({ ...refusal, request_id: 'mine' }, 1);
  const reader = dynamoRefusalReader(dynamo, names.rate_counters);
  expect(await reader.counts(['client_1'], ['2026-11-20T12'])).toMatchObject([
    { at_least: 3, last_request_id: 'mine' },
  ]);
});

it('a refusal that is counted is not counted again where only its row for the details could not be written', async () => {
  let isDown = true;
  const { dynamo, names } = inMemoryTables({
    around: ({ input }, run) => {
      if (isDown && JSON.stringify(input.Key).includes('refusal|')) throw new Error('throttled');
      return run();
    },
  });
  const record = refusalRecorder({
    clock: () => start,
    write: dynamoRefusalWriter(dynamo, names.rate_counters),
  });
  await record({ ...refusal, request_id: 'one' });
  isDown = false;
  await record({ ...refusal, request_id: 'two' });
  const reader = dynamoRefusalReader(dynamo, names.rate_counters);
  expect(await reader.counts(['client_1'], ['2026-11-20T12'])).toMatchObject([
    { at_least: 2, last_request_id: 'two' },
  ]);
  expect([await reader.find('one'), (await reader.find('two'))?.reason]).toEqual([
    undefined,
    'invalid_request',
  ]);
});

it('neither numbers nor quoted values nor names of the caller are kept', () => {
  const error = new GatewayError('invalid_request', 'The sender "+44 7700 900123" is unknown.', {
    details: [
      { field: 'recipients[2].to', message: 'must be a number, not 07700 900123' },
      { field: 'my secret is 1', message: 'is “not” known' },
      { field: 'n447700900123', message: 'must have 160 characters or fewer' },
    ],
  });
  expect(withoutContent(error)).toEqual({
    message: 'The sender "…" is unknown.',
    details: [
      { field: 'recipients[2].to', message: 'must be a number, not …' },
      { field: '…', message: 'is "…" known' },
      { field: '…', message: 'must have 160 characters or fewer' },
    ],
  });
});

it('the examples of the gateway are kept as they are', () => {
  const messages = [
    'must be a date-time such as 2026-11-20T10:00:00Z',
    'must be a phone number in international format, such as +447700900123',
  ];
  const details = messages.map((message) => ({ field: 'scheduled_at', message }));
  const kept = withoutContent(new GatewayError('invalid_request', messages.join(' '), { details }));
  expect([kept.message, ...kept.details.map(({ message }) => message)]).toEqual([
    messages.join(' '),
    ...messages,
  ]);
});

it('many details and long texts are cut off', () => {
  const details = Array.from({ length: 1000 }, () => ({ field: 'to', message: 'x'.repeat(1000) }));
  const kept = withoutContent(new GatewayError('invalid_request', 'y'.repeat(1000), { details }));
  expect(JSON.stringify(kept).length).toBeLessThan(2000);
});

it.each([
  ['invalid_request', true],
  ['forbidden', true],
  ['spend_limit_reached', true],
  ['unauthorized', false],
  ['not_found', false],
  ['internal_error', false],
] as const)('%s is kept: %s', (code, kept) => {
  expect(isKept(new GatewayError(code, ''))).toBe(kept);
});
