/** Receipts that arrive before the index has their message are retried, then given up; those of another carrier change nothing. */

import { describe, expect, it } from '@jest/globals';
import type { StoredAttempt } from '../../../shared/message/attempt.ts';
import { attemptNamed } from '../../../shared/message/dispatch/carrier.ts';
import type { Receipt } from '../../../shared/message/dispatch/receipt-decisions.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import type { Message } from '../../../shared/message/message.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import type { Change } from '../../support/simulation/aws/dynamodb.ts';
import { plainRow } from '../../support/simulation/direct-database.ts';

const priceOf = () => undefined;
const receipt: Receipt = {
  carrierMessageId: 'wamid.1',
  transition: { to: 'delivered', at: addSeconds(created, 1) },
};

it('a receipt whose message the index does not show yet is recorded once it does', async () => {
  const { context } = inMemoryStores();
  const message = aMessage({ channel: 'whatsapp', status: 'sending' });
  await createMessage(context, message);
  const early = await recordReceipts({ ...context, priceOf }, [receipt], 1);
  expect(early.recorded).toMatchObject([{ outcome: 'unknown_message' }]);
  expect(early.retryAfterSeconds).toBe(2);
  const noted = { at: created, carrierMessageId: 'wamid.1' };
  await transitionMessage(context, message.message_id, { to: 'sent', ...noted });
  const later = await recordReceipts({ ...context, priceOf }, [receipt], 2);
  expect(later).toMatchObject({ recorded: [{ outcome: 'recorded' }], retryAfterSeconds: undefined });
  expect((await readMessage(context, message.message_id))?.status).toBe('delivered');
});

it('a receipt of an unknown message is retried for some minutes, with growing delays, and then given up', async () => {
  const { context } = inMemoryStores();
  const waits: (number | undefined)[] = [];
  for (let receives = 1; waits.at(-1) !== undefined || receives === 1; receives += 1) {
    const { recorded, retryAfterSeconds } = await recordReceipts(
      { ...context, priceOf },
      [receipt],
      receives,
    );
    waits.push(retryAfterSeconds);
    expect(recorded[0]?.outcome).toBe(retryAfterSeconds === undefined ? 'given_up' : 'unknown_message');
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, undefined]);
  // What the queue allows before it sets a message aside itself (lib/capabilities/messaging/messaging.ts).
  expect(waits.length).toBeLessThan(15);
});

it('such a receipt does not delay another one in the same queue message, which is recorded once', async () => {
  const changes: string[] = [];
  const onChange = ({ after }: Change) => void changes.push(String(plainRow(after ?? {}).status));
  const { context } = inMemoryStores(inMemoryTables({ onChange }));
  const message = aMessage({ status: 'sent', sent_at: created.toISOString() });
  await createMessage(context, message);
  const known: Receipt = { messageId: message.message_id, transition: receipt.transition };
  for (let receives = 1; receives <= 3; receives += 1) {
    const { retryAfterSeconds } = await recordReceipts({ ...context, priceOf }, [receipt, known], receives);
    expect(retryAfterSeconds).toBeGreaterThan(0);
  }
  expect(changes).toEqual(['sent', 'delivered']);
});

describe('a receipt is recorded only if its carrier had the attempt and gave it that id', () => {
  const at = created.toISOString();
  const attempt = (number: number, carrier: string, outcome?: StoredAttempt['outcome']): StoredAttempt => ({
    number,
    carrier,
    at,
    deadline: at,
    ...(outcome === undefined ? {} : { outcome }),
  });
  const twilioTook = { attempts: [attempt(1, 'twilio', 'accepted')], carrier_message_id: 'SM1' };
  const metaTook = { attempts: [attempt(1, 'meta', 'accepted')], carrier_message_id: 'wamid.A' };
  const afterThrottling = { attempts: [attempt(7, 'twilio', 'accepted')], carrier_message_id: 'SM7' };
  const twice = {
    attempts: [attempt(1, 'twilio', 'unknown'), attempt(2, 'twilio', 'accepted')],
    carrier_message_id: 'SM2',
  };
  const twoCarriers = {
    attempts: [attempt(1, 'infobip', 'not_taken'), attempt(2, 'twilio', 'accepted')],
    carrier_message_id: 'SM2',
  };
  const by = (carrier: string, more: Partial<Receipt> = {}): Partial<Receipt> => ({
    attempt: 1,
    reportedBy: [carrier],
    ...more,
  });

  it.each<[string, Partial<Message>, Partial<Receipt>, 'delivered' | 'read', string]>([
    [
      'by the carrier of the attempt',
      twilioTook,
      by('twilio', { carrierMessageId: 'SM1' }),
      'delivered',
      'delivered',
    ],
    ['by another carrier', twilioTook, by('infobip'), 'delivered', 'sent'],
    ['by another carrier, without a number', twilioTook, { reportedBy: ['meta'] }, 'delivered', 'sent'],
    ['by the carrier of another attempt', twoCarriers, by('twilio'), 'delivered', 'sent'],
    [
      'of an attempt that is not kept, by its carrier',
      afterThrottling,
      by('twilio'),
      'delivered',
      'delivered',
    ],
    ['of an attempt that is not kept, by another', afterThrottling, by('infobip'), 'delivered', 'sent'],
    [
      'with another id of the carrier',
      twilioTook,
      by('twilio', { carrierMessageId: 'SM9' }),
      'delivered',
      'sent',
    ],
    [
      'of the first of two, with an id of its own',
      twice,
      by('twilio', { carrierMessageId: 'SM1' }),
      'delivered',
      'delivered',
    ],
    [
      'of no attempt by its number, with another id of the carrier',
      twilioTook,
      { reportedBy: ['twilio'], carrierMessageId: 'SM9' },
      'delivered',
      'sent',
    ],
    [
      'of no attempt by its number, by a carrier that did not take it',
      twoCarriers,
      { reportedBy: ['infobip'] },
      'delivered',
      'sent',
    ],
    [
      'of no attempt by its number, with the id that the carrier gave',
      twilioTook,
      { reportedBy: ['twilio'], carrierMessageId: 'SM1' },
      'delivered',
      'delivered',
    ],
    ['that an SMS was read', twilioTook, by('twilio'), 'read', 'sent'],
    ['of an attempt that was not made yet', twilioTook, by('twilio', { attempt: 2 }), 'delivered', 'sent'],
    [
      'of a WhatsApp message with another id of the carrier',
      { ...metaTook, channel: 'whatsapp' },
      by('meta', { carrierMessageId: 'wamid.B' }),
      'read',
      'sent',
    ],
    [
      'of a WhatsApp message without an id of the carrier',
      { ...metaTook, channel: 'whatsapp' },
      by('meta'),
      'read',
      'read',
    ],
  ])('%s', async (_which, row, more, to, status) => {
    const { context, tables } = inMemoryStores();
    const message = aMessage({ status: 'sent', sent_at: at, ...row });
    await createMessage(context, message);
    const { message_id: messageId } = message;
    const { recorded, retryAfterSeconds } = await recordReceipts(
      {
        ...context,
        priceOf,
      },
      [{ messageId, from: '+447700900999', ...more, transition: { to, at: addSeconds(created, 1) } }],
      1,
    );
    expect((await readMessage(context, messageId))?.status).toBe(status);
    expect(retryAfterSeconds).toBeUndefined();
    expect(recorded).toMatchObject([{ outcome: status === 'sent' ? 'ignored' : 'recorded', messageId }]);
    if (status === 'sent') expect(tables.rows('whatsapp_windows')).toEqual([]);
  });

  it('whose number is that of an attempt: none is the message’s own, and the first is 1', () => {
    const { message_id: messageId } = aMessage();
    const named = ['', '.1', '.9999', '.0', '.01', '.-1', '.1.1', '.10000'].map((suffix) =>
      attemptNamed(`${messageId}${suffix}`),
    );
    expect(named).toEqual([
      { messageId },
      { messageId, attempt: 1 },
      { messageId, attempt: 9999 },
      ...Array.from({ length: 5 }, () => undefined),
    ]);
  });

  it.each(['scheduled', 'queued', 'canceled', 'failed'] as const)(
    'and not of a message that is %s and was never handed over, whose cost stays none',
    async (status) => {
      const { context } = inMemoryStores();
      const message = aMessage({ status });
      await createMessage(context, message);
      const transition = { to: 'delivered', cost: 3, currency: 'EUR' } as const;
      const { recorded } = await recordReceipts(
        { ...context, priceOf },
        [{ messageId: message.message_id, ...by('infobip'), transition: { ...transition, at: created } }],
        1,
      );
      expect(recorded).toMatchObject([{ outcome: 'ignored' }]);
      expect({ ...(await readMessage(context, message.message_id)), due_at: undefined }).toEqual(message);
    },
  );
});
