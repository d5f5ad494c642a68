/** Every send writes the recipient's country into the message's row, by which the hand-over prices it. */

import { expect, it } from '@jest/globals';
import { expectedPrice } from '../../../shared/contract/prices.ts';
import type { Message } from '../../../shared/message/message.ts';
import { aClient, ask, inMemorySends, type SendName, sendNames } from '../../support/message/sends.ts';

const prices = {
  currency: 'EUR',
  sms: { GB: 0.04, US: 0.01, '+881': 1.5, default: 0.07 },
  whatsapp: { GB: 0.04, US: 0.01, '+881': 1.5, default: 0.07 },
};

/** The rows that one send leaves behind. */
async function rowsOf(name: SendName, to: string): Promise<Message[]> {
  const { operations, messages } = inMemorySends();
  const body = name === 'bulk' ? { message: 'Hello', recipients: [to] } : { message: 'Hello', to };
  await ask(operations[name], {
    // Numbers of no country are allowed by name only.
    client: aClient({ countries: ['GB', 'US', 'FR', '+881', '+883'] }),
    now: new Date('2026-11-20T10:00:00.000Z'),
    body: name === 'otp' ? { to } : body,
  });
  return messages.all();
}

const recipients: readonly [string, string | undefined, number][] = [
  ['+447400123456', 'GB', 0.04],
  ['+12065550100', 'US', 0.01],
  ['+33612345678', 'FR', 0.07],
  // International networks, of no country: that of satellites has a price of its own.
  ['+883510012345678', undefined, 0.07],
  ['+881612345678', undefined, 1.5],
];

it.each([
  ...sendNames.flatMap((name) => recipients.map((recipient) => [name, ...recipient] as const)),
  ['whatsapp', 'US.13491208655302741918', 'US', 0.01] as const,
])('a message by %s to %s names %s, and is priced %d a part', async (name, recipient, country, each) => {
  const rows = await rowsOf(name, recipient);
  expect(rows.map((row) => [row.recipient, row.country])).toEqual([[recipient, country]]);
  expect(rows.map((row) => expectedPrice(prices, { ...row, segments: 1 })?.cost)).toEqual([each]);
});
