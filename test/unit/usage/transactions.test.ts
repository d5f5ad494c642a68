/** How changes are packed into transactions, each of which takes write units for every row in it. */
import { expect, it } from '@jest/globals';
import type { CountedMessage } from '../../../shared/usage/amounts.ts';
import { type ChangeRecord, countChanges, type UsageCounter } from '../../../shared/usage/count-changes.ts';

const at = '2026-11-20T10:00:00.000Z';

function queued(client_id: string): CountedMessage {
  return { client_id, channel: 'sms', type: 'transactional', status: 'queued', created_at: at };
}

it('writes each row of a client once, however the records of many clients are mixed', async () => {
  const clients = 100;
  const records = Array.from(
    { length: 5 * clients },
    (_, index): ChangeRecord => ({
      eventId: `record-${index}`,
      changedAt: new Date(at),
      before: undefined,
      after: queued(`client-${index % clients}`),
    }),
  );
  const written: string[] = [];
  let transactions = 0;
  const counter: UsageCounter = {
    counted: async () => ({ ids: new Set<string>(), parts: 0 }),
    async count(_minute, _part, _ids, additions) {
      transactions += 1;
      written.push(...additions.map(({ clientId, period }) => `${clientId} ${period.name}`));
      return true;
    },
  };
  await countChanges({ counter, sleep: async () => undefined, random: () => 0 }, records);
  const ofClients = written.filter((row) => !row.startsWith('* '));
  expect(ofClients).toHaveLength(3 * clients);
  expect(new Set(ofClients).size).toBe(ofClients.length);
  expect(transactions).toBe(Math.ceil((3 * clients) / (90 - 3)));
});
