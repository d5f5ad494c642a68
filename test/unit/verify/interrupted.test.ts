/** A run that is interrupted takes back what it made, and a later run takes back what a killed one left. */

import { DeleteQueueCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from '@jest/globals';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { interruption } from '../../../bin/verify/interruption.ts';
import { removeEarlierQueues } from '../../../bin/verify/stage-on-aws.ts';
import { verifyStage } from '../../../bin/verify/verify.ts';
import { type Visitors, visitorsOf } from '../../../bin/verify/visitors.ts';
import type { AdminDependencies } from '../../../shared/admin/admin-dependencies.ts';
import { dynamoRowEditor, dynamoRowReader } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { overrideTable } from '../../../shared/limit/override-row.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { response, scriptedStage } from '../../support/verify/scripted-stage.ts';

const stage = () => scriptedStage(() => false);
const begun = stage().now();
const minutesBefore = (minutes: number): Date => new Date(begun.getTime() - minutes * 60_000);

/** The tables of a gateway, with the visitors of a run that begins at a time, and the requests that they made. */
function aGateway() {
  const tables = inMemoryTables();
  const { dynamo, names } = tables;
  const requests: string[] = [];
  const visitorsAt = (at: Date): Visitors =>
    visitorsOf(
      {
        ...dynamoClientAdmin(dynamo, names),
        overrides: {
          ...dynamoRowReader(dynamo, names.limit_overrides),
          ...dynamoRowEditor(dynamo, names.limit_overrides, overrideTable),
        },
        activityLog: { add: async () => undefined },
        capDefaults: {},
        clock: () => at,
      } as unknown as AdminDependencies,
      async (method, path) => {
        if (method !== 'GET') requests.push(`${method} ${path}`);
        return response(200, {
          messages: [{ message_id: 'msg_1' }],
          webhook_endpoints: [{ endpoint_id: 'whe_1' }],
        });
      },
    );
  return {
    visitorsAt,
    requests,
    /** The names of clients, their keys and their limits that still act. */
    acting: () => ({
      clients: tables.rows('clients').flatMap(({ name, disabled }) => (disabled === true ? [] : [name])),
      keys: tables.rows('api_keys').filter(({ revoked_at }) => revoked_at === undefined).length,
      limits: tables.rows('limit_overrides').length,
    }),
  };
}

async function makeVisitors(visitors: Visitors): Promise<void> {
  await visitors.of('checks');
  await (await visitors.of('limits')).limitPerMinute('GET /api/v1/account', 20);
}

const nothing = { clients: [], keys: 0, limits: 0 };

/** What a run printed and returned; it is interrupted after so many pauses. */
async function run(visitors: Visitors, { pauses = Number.POSITIVE_INFINITY, removed = [] as string[] } = {}) {
  const interrupted = new AbortController();
  const printed: string[] = [];
  const scripted = stage();
  let paused = 0;
  const verified = await verifyStage(
    {
      signal: interrupted.signal,
      async pause(milliseconds, signal) {
        paused += 1;
        if (paused > pauses) interrupted.abort();
        signal.throwIfAborted();
        await scripted.pause(milliseconds);
        signal.throwIfAborted();
      },
      print: (text) => printed.push(text),
      printJson: undefined,
    },
    scripted,
    {
      ...visitors,
      async of(purpose) {
        await makeVisitors(visitors);
        return scripted.newVisitor(purpose);
      },
    },
    async () => removed,
  );
  return { ...verified, printed };
}

describe('a run that is interrupted', () => {
  it('stops measuring, and takes back what it made', async () => {
    const gateway = aGateway();
    const { results, left, printed } = await run(gateway.visitorsAt(begun), { pauses: 3 });
    expect(left).toEqual([]);
    expect(gateway.acting()).toEqual(nothing);
    // What was measured before stays, and what was not is no failure.
    expect(results.length).toBeGreaterThan(0);
    expect(results.length).toBeLessThan((await run(aGateway().visitorsAt(begun))).results.length);
    expect(results.filter(({ result }) => result === 'fail')).toEqual([]);
    expect(printed.at(-1)).toMatch(/^Interrupted: \d+ hold, 0 do not/);
    expect(gateway.requests).toContain('DELETE /api/v1/messages/msg_1');
  });

  it('says what could not be taken back', async () => {
    const visitors = {
      ...aGateway().visitorsAt(begun),
      leave: async () => ['client client_1: Error: AccessDenied'],
    };
    const { left, printed } = await run(visitors, { pauses: 3 });
    expect(left).toEqual(['client client_1: Error: AccessDenied']);
    expect(printed).toContain('✗ still there: client client_1: Error: AccessDenied');
  });

  it('does not begin to measure where that was before', async () => {
    const gateway = aGateway();
    const visitors = gateway.visitorsAt(begun);
    const { results } = await verifyStage(
      { signal: AbortSignal.abort(), pause: async () => undefined, print: undefined, printJson: undefined },
      stage(),
      visitors,
      async () => [],
    );
    expect([results, gateway.acting()]).toEqual([[], nothing]);
  });
});

describe('what a killed run left', () => {
  it('is taken back by a later run, an hour after it began, and named in one line', async () => {
    const gateway = aGateway();
    await makeVisitors(gateway.visitorsAt(minutesBefore(61)));
    expect(gateway.acting()).toMatchObject({ keys: 2, limits: 1 });
    const { left, printed } = await run(gateway.visitorsAt(begun), { removed: ['queue stage-verify-1'] });
    expect(left).toEqual([]);
    expect(gateway.acting()).toEqual(nothing);
    expect(printed[0]).toMatch(
      /^Cleaned up after a run that did not end: client \w+, client \w+, queue stage-verify-1$/,
    );
    expect(gateway.requests).toContain('DELETE /api/v1/webhook-endpoints/whe_1');
    expect(gateway.requests).toContain('DELETE /api/v1/messages/msg_1');
    const again = await run(gateway.visitorsAt(begun));
    expect(again.printed.filter((text) => text.startsWith('Cleaned'))).toEqual([]);
  });

  it('is not touched while that run may still measure, nor is a client of somebody else', async () => {
    const gateway = aGateway();
    await makeVisitors(gateway.visitorsAt(minutesBefore(59)));
    await gateway.visitorsAt(minutesBefore(61)).of('and more, of a Shop');
    const before = gateway.acting();
    expect(await gateway.visitorsAt(begun).leaveEarlier(minutesBefore(60))).toEqual({
      cleaned: [],
      left: [],
    });
    expect(gateway.acting()).toEqual(before);
  });

  it('is reported where it cannot be read, and the run goes on', async () => {
    const visitors = {
      ...aGateway().visitorsAt(begun),
      leaveEarlier: () => Promise.reject(new Error('AccessDenied')),
    };
    const { results, left } = await run(visitors);
    expect(left).toEqual(['what earlier runs left: Error: AccessDenied']);
    expect(results.length).toBeGreaterThan(10);
  });

  it('includes the queues that are older', async () => {
    const created = { 'https://sqs/1/stage-verify-old': 61, 'https://sqs/1/stage-verify-new': 59 };
    const deleted: string[] = [];
    const send = async (command: { readonly input: { readonly QueueUrl?: string } }) => {
      const { QueueUrl = '' } = command.input;
      if (command instanceof ListQueuesCommand) return { QueueUrls: Object.keys(created) };
      if (command instanceof DeleteQueueCommand) return void deleted.push(QueueUrl);
      const minutes = created[QueueUrl as keyof typeof created];
      return { Attributes: { CreatedTimestamp: String(minutesBefore(minutes).getTime() / 1000) } };
    };
    const sqs = { send } as unknown as Parameters<typeof removeEarlierQueues>[0];
    expect(await removeEarlierQueues(sqs, 'stage-verify-', minutesBefore(60))).toEqual([
      'queue stage-verify-old',
    ]);
    expect(deleted).toEqual(['https://sqs/1/stage-verify-old']);
  });
});

describe('a signal', () => {
  function signals() {
    const handlers = new Map<string, () => void>();
    const done: unknown[] = [];
    let nowMs = 0;
    const interrupted = interruption({
      on: (signal, handler) => handlers.set(signal, handler),
      say: (text) => done.push(text.split(':')[0]),
      exit: (status) => done.push(status),
      now: () => nowMs,
    });
    const send = (signal: string, atMs: number): void => {
      nowMs = atMs;
      handlers.get(signal)?.();
    };
    return { ...interrupted, send, done };
  }

  it('interrupts the run, which exits with the status of the first one', () => {
    const { signal, status, send, done } = signals();
    expect([signal.aborted, status()]).toEqual([false, undefined]);
    send('SIGTERM', 100);
    send('SIGINT', 200);
    expect([signal.aborted, status(), done]).toEqual([true, 143, ['Interrupted']]);
  });

  it('ends it at once where it is repeated later', () => {
    const { send, done } = signals();
    send('SIGINT', 100);
    send('SIGINT', 101);
    send('SIGINT', 5200);
    expect(done).toEqual(['Interrupted', 130]);
  });
});
