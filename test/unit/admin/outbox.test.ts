/** A stage with real carriers shows test messages only, and takes made-up messages for test data only. */
import { expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { listOutbox, sendInbound } from '../../../shared/admin/simulated-messages.ts';
import { storeClient } from '../../../shared/client/client-store.dynamo.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { aClient } from '../../support/message/ask-operation.ts';

const asked: unknown[] = [];
const queued: string[] = [];
const context = testContext(undefined, {
  clock: () => new Date('2026-11-20T10:00:00.000Z'),
  newId: () => 'id-1',
});
await storeClient(context, aClient({ client_id: 'client_1' }));
const dependencies = {
  ...context,
  isSimulated: false,
  outbox: {
    page: async (...given: unknown[]) => {
      asked.push(given);
      return { entries: [], next: undefined };
    },
  },
  simulatedInbound: async ([receipt]: readonly { body: string }[]) => queued.push(receipt?.body ?? ''),
  retentionDays: 90,
} as unknown as AdminContext;

it('shows the test messages of a client, and no live ones', async () => {
  await expect(listOutbox(dependencies, { limit: 5 })).rejects.toMatchObject({ code: 'not_found' });
  expect(await listOutbox(dependencies, { client_id: 'client_1', limit: 5 })).toEqual({ messages: [] });
  expect(asked).toEqual([
    [
      { days: ['2026-11-20', '2026-11-19'] },
      { clientId: 'client_1-test', since: new Date('2026-11-19T10:00:00.000Z'), limit: 5 },
    ],
  ]);
});

it('makes up messages to test data, and none to live data', async () => {
  const message = { channel: 'sms', from: '+447700900123', text: 'STOP' } as const;
  await expect(sendInbound(dependencies, { ...message, mode: 'live' })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(queued).toEqual([]);
  await sendInbound(dependencies, { ...message, mode: 'test' });
  expect(queued.map((body) => JSON.parse(body) as object)).toMatchObject([{ mode: 'test' }]);
});
