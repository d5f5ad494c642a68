/** Requests are shown as their lines become readable, each once, even if a line comes late; and refused ones are counted. */
import { expect, it } from '@jest/globals';
import { countRefusals } from '../../../bin/admin/count-refusals.ts';
import { tailRequests } from '../../../bin/admin/log-commands.ts';
import type { LoggedRequest } from '../../../shared/admin/request-log.cloudwatch.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';

const start = new Date('2026-11-20T12:00:00.000Z');

/** A line of this second, readable some seconds later. */
function lineAt(second: number, lateSeconds: number) {
  const timestamp = addSeconds(start, second).toISOString();
  const request: LoggedRequest = {
    timestamp,
    request_id: `request-${second}`,
    method: 'POST',
    path: '/api/v1/sms/send',
    status: 202,
    duration_ms: 5,
  };
  return { id: `line-${second}`, request, readableAt: addSeconds(start, second + lateSeconds) };
}

function tail(lines: readonly ReturnType<typeof lineAt>[], seconds: number) {
  let now = start;
  const asked: Date[] = [];
  const log = {
    read: async (since: Date) => {
      asked.push(since);
      return lines.filter(
        ({ request, readableAt }) => readableAt <= now && new Date(request.timestamp) >= since,
      );
    },
  };
  const shown: string[] = [];
  const wait = async (ms: number) => {
    now = new Date(now.getTime() + ms);
    if (now > addSeconds(start, seconds)) throw new Error('the test is over');
  };
  const run = async (follow: boolean) => {
    const options = { since: addSeconds(start, -600), clientId: undefined, follow };
    for await (const { request_id } of tailRequests({ log, clock: () => now, wait }, options))
      shown.push(request_id);
  };
  return { shown, asked, run };
}

it('every request is shown once, in the order in which it becomes readable', async () => {
  const lines = [
    lineAt(-300, 5),
    lineAt(1, 20),
    lineAt(2, 1),
    lineAt(60, 0),
    lineAt(60.5, 0),
    lineAt(61, 28),
  ];
  const { shown, asked, run } = tail(lines, 180);
  await expect(run(true)).rejects.toThrow('the test is over');
  expect(shown).toEqual([
    'request--300',
    'request-2',
    'request-1',
    'request-60',
    'request-60.5',
    'request-61',
  ]);
  // It does not read all of the past again and again.
  expect(asked.at(-1)?.getTime()).toBeGreaterThan(addSeconds(start, 120).getTime());
});

it('ends with the requests that there are, where it is not to follow', async () => {
  const { shown, asked, run } = tail([lineAt(-300, 5), lineAt(1, 0)], 180);
  await run(false);
  expect([shown, asked.length]).toEqual([['request--300'], 1]);
});

it('refused requests are counted by hour, client, endpoint and reason, in whatever order their lines come', async () => {
  async function* refused() {
    const common = { client_id: 'client_1', status: 400, error: 'invalid_request' };
    yield { ...lineAt(3, 0).request, ...common, faulty_fields: ['to'] };
    yield { ...lineAt(1, 0).request, ...common, faulty_fields: ['message', 'to'] };
    yield { ...lineAt(2, 0).request, ...common };
    yield { ...lineAt(4, 0).request, ...common, status: 429, error: 'rate_limit_exceeded' };
    yield { ...lineAt(5, 0).request, ...common, client_id: 'client_2' };
    yield { ...lineAt(3600, 0).request, ...common, path: '/api/v1/sms/bulk' };
  }
  const sent = { hour: '2026-11-20T12:00:00.000Z', endpoint: 'POST /api/v1/sms/send', faulty_fields: [] };
  const invalid = { client_id: 'client_1', reason: 'invalid_request' };
  expect(await countRefusals(refused())).toEqual([
    {
      ...{ ...sent, ...invalid, count: 1, last_request_id: 'request-3600' },
      ...{ hour: '2026-11-20T13:00:00.000Z', endpoint: 'POST /api/v1/sms/bulk' },
    },
    { ...sent, ...invalid, count: 3, faulty_fields: ['to', 'message'], last_request_id: 'request-3' },
    {
      ...{ ...sent, client_id: 'client_1', reason: 'rate_limit_exceeded' },
      ...{ count: 1, last_request_id: 'request-4' },
    },
    { ...sent, ...invalid, client_id: 'client_2', count: 1, last_request_id: 'request-5' },
  ]);
});
