/** A sender ID whose rows differ in its case is one sender, with one pace (contract 14.4). */
import { expect, it } from '@jest/globals';
import { pacedMessageOf } from '../../../shared/message/dispatch/reserve-slots.ts';
import { selectSender } from '../../../shared/sender/select-sender.ts';
import { parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { inMemoryPace } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const stage = { sms: undefined, carriers: { sms: ['aws'], whatsapp: [] } } as unknown as Parameters<
  typeof selectSender
>[2];

it.each(['ACME', 'Acme'])('and its slots are as many as the pace allows: ACME and %s', async (identity) => {
  const rows = [
    { client_id: 'client-a', destination: 'sms *', identity: 'ACME', messages_per_second: 2 },
    { client_id: 'client-b', destination: 'sms *', identity, messages_per_second: 2 },
  ].map(parseSenderRow);
  const messages = rows.flatMap((row) =>
    Array.from({ length: 4 }, () => {
      const { sender } = selectSender([row], { channel: 'sms', country: 'GB' }, stage);
      return aMessage({
        client_id: row.clientId,
        segments: 1,
        batch_id: 'bat_1',
        ...(sender ? { sender } : {}),
      });
    }),
  );
  const pace = inMemoryPace(() => created);
  const slots = [];
  for (const message of messages) {
    const paced = pacedMessageOf(message);
    if (paced !== undefined) slots.push(...(await pace.reserve([paced], 1000)));
  }
  const perSecond = Map.groupBy(slots, ({ period_start }) => period_start);
  expect(slots).toHaveLength(8);
  expect(Math.max(...[...perSecond.values()].map((some) => some.length))).toBe(2);
});
