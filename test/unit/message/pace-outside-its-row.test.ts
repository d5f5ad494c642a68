/** A sender never exceeds its pace, whatever row or country a message to it is of, and however its name is written (contract 14.4). */
import { expect, it } from '@jest/globals';
import { pacedMessageOf } from '../../../shared/message/dispatch/reserve-slots.ts';
import { selectSender } from '../../../shared/sender/select-sender.ts';
import { parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { inMemoryPace } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const number = '+447700900001';
const stage = { sms: undefined, carriers: { sms: ['aws'], whatsapp: [] } } as unknown as Parameters<
  typeof selectSender
>[2];
const withPace = { client_id: '*', destination: 'sms GB', identity: number, messages_per_second: 1 };

/** How many of ten messages, in turns of these countries, may be handed over in one second at most. */
async function mostInOneSecond(rows: readonly object[], countries: readonly string[], from?: string) {
  const parsed = rows.map((row) => parseSenderRow({ ...row }));
  const pace = inMemoryPace(() => created);
  const seconds: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const country = countries[n % countries.length];
    const { sender } = selectSender(parsed, { channel: 'sms', country, from }, stage);
    const paced = pacedMessageOf(aMessage({ segments: 1, batch_id: 'bat_1', ...(sender ? { sender } : {}) }));
    const [slot] = paced === undefined ? [] : await pace.reserve([paced], 1000);
    // Without a slot it is handed over at once.
    seconds.push(slot === undefined ? 'at once' : String(slot.period_start));
  }
  return Math.max(...[...Map.groupBy(seconds, (second) => second).values()].map((some) => some.length));
}

const others = { client_id: '*', destination: 'sms *', identity: number };
const named = (identity: string, country: string) => ({
  ...{ client_id: '*', destination: `sms ${country}`, identity, messages_per_second: 1 },
});

it.each<[string, readonly object[], readonly string[], string | undefined]>([
  ['that a request names, to the country of its row', [withPace], ['GB'], number],
  ['that a request names, to another country', [withPace], ['FR'], number],
  ['of which the row for other countries has no pace', [withPace, others], ['GB', 'FR'], undefined],
  ['whose rows write its name alike', [named('ACME', 'GB'), named('ACME', 'FR')], ['GB', 'FR'], undefined],
  ['whose rows differ in case', [named('ACME', 'GB'), named('Acme', 'FR')], ['GB', 'FR'], undefined],
])('a sender with a pace of one a second sends one in a second: %s', async (_case, rows, countries, from) => {
  expect(await mostInOneSecond(rows, countries, from)).toBe(1);
});
