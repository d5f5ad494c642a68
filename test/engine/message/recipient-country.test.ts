/** Every send writes the recipient's country into the message's row, by which the hand-over prices it. */

import { expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsApp } from '../../../shared/message/send/send-whatsapp.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import { expectedPrice } from '../../../shared/price/prices.ts';
import { memoryBatchStore } from '../../support/doubles/memory-batch-store.ts';
import { memoryMessageStore } from '../../support/doubles/memory-message-store.ts';
import { memoryOtpStore } from '../../support/doubles/memory-otp-store.ts';
import { memorySenderPace } from '../../support/doubles/memory-sender-pace.ts';
import { allowanceOf } from '../../support/doubles/no-caps.ts';
import { noSenders } from '../../support/doubles/no-senders.ts';
import { aClient, ask, type SendName, webhookUrl } from '../../support/message/sends.ts';

const prices = {
  currency: 'EUR',
  sms: { GB: 0.04, US: 0.01, default: 0.07 },
  whatsapp: { GB: 0.04, US: 0.01, default: 0.07 },
};

/** The rows that one send leaves behind. */
async function rowsOf(name: SendName, to: string): Promise<Message[]> {
  const messages = memoryMessageStore();
  const operation = {
    sms: sendSms({ messages, allowanceOf, ...noSenders, webhookUrl }),
    whatsapp: sendWhatsApp({ messages, allowanceOf, ...noSenders, webhookUrl }),
    bulk: sendBulkSms({
      messages,
      batches: memoryBatchStore(),
      allowanceOf,
      ...noSenders,
      webhookUrl,
      pace: memorySenderPace(),
    }),
    otp: sendOtp({ messages, otps: memoryOtpStore(), allowanceOf, ...noSenders, webhookUrl }),
  }[name];
  const body = name === 'bulk' ? { message: 'Hello', recipients: [to] } : { message: 'Hello', to };
  await ask(operation, {
    client: aClient(),
    now: new Date('2026-11-20T10:00:00.000Z'),
    body: name === 'otp' ? { to } : body,
  });
  return messages.all();
}

const names: readonly SendName[] = ['sms', 'whatsapp', 'bulk', 'otp'];
const recipients: readonly [string, string | undefined, number][] = [
  ['+447400123456', 'GB', 0.04],
  ['+12065550100', 'US', 0.01],
  ['+33612345678', 'FR', 0.07],
  // International networks, of no country.
  ['+883510012345678', undefined, 0.07],
];

it.each(names.flatMap((name) => recipients.map((recipient) => [name, ...recipient] as const)))(
  'a message by %s to %s names %s, and is priced %d a part',
  async (name, recipient, country, each) => {
    const rows = await rowsOf(name, recipient);
    expect(rows.map((row) => [row.recipient, row.country])).toEqual([[recipient, country]]);
    expect(rows.map((row) => expectedPrice(prices, { ...row, segments: 1 })?.cost)).toEqual([each]);
  },
);
