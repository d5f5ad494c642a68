/** The simulator handles each recipient as in the contract's table, and its receipts have the form of real ones. */
import { describe, expect, it } from '@jest/globals';
import { parseNotification } from '../../../shared/carrier/parse-notification.ts';
import type { OutboxEntry } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { simulator } from '../../../shared/carrier/simulator/simulator.ts';
import type { Message } from '../../../shared/message/message.ts';
import { aSendingMessage, handedOverAt } from '../../support/message/example-message.ts';

function aSimulator() {
  const taken: (OutboxEntry & { attempt: number; carrierMessageId: string })[] = [];
  const queued: { body: string; delaySeconds: number; clientId: string }[] = [];
  let ids = 0;
  const carrier = simulator({
    outbox: {
      record: async (entry, attempt, carrierMessageId) => {
        taken.push({ ...entry, attempt, carrierMessageId });
      },
    },
    sendReceipts: async (receipts, clientId) => {
      queued.push(...receipts.map((receipt) => ({ ...receipt, clientId })));
    },
    prices: { currency: 'USD', sms: { GB: 0.04, default: 0.05 }, whatsapp: { default: 0.01 } },
    clock: () => handedOverAt,
    newCarrierMessageId: () => `carrier-${++ids}`,
  });
  return {
    carrier,
    taken,
    queued,
    reported: () =>
      queued.flatMap((receipt) => parseNotification(receipt.body).receipts.map((read) => read.transition.to)),
  };
}

async function reportsFor(change: Partial<Message>) {
  const { carrier, reported } = aSimulator();
  const answer = await carrier.handOver(aSendingMessage(change), { text: 'Hello' }, 1);
  return { outcome: answer.outcome, reported: reported() };
}

describe('the table of recipients', () => {
  it.each([
    ['+447700900123', 'accepted', ['sent', 'delivered']],
    ['+15005550001', 'refused', []],
    ['+15005550002', 'accepted', ['sent', 'failed']],
    ['+15005550003', 'accepted', ['sent', 'expired']],
    ['+15005550004', 'accepted', []],
    ['+15005550005', 'accepted', ['sent', 'delivered']],
    ['+15005550006', 'try_again', []],
    ['+15005550007', 'accepted', ['delivered', 'delivered', 'sent', 'sent']],
  ])('SMS to %s: %s, then %j', async (recipient, outcome, reported) => {
    expect(await reportsFor({ recipient })).toEqual({ outcome, reported });
  });

  it.each([
    ['+447700900123', ['sent', 'delivered']],
    ['+15005550002', ['sent', 'failed']],
    ['+15005550003', ['sent', 'expired']],
    ['+15005550005', ['sent', 'delivered', 'read']],
    ['+15005550007', ['delivered', 'delivered', 'sent', 'sent']],
  ])('WhatsApp to %s: %j', async (recipient, reported) => {
    expect((await reportsFor({ channel: 'whatsapp', recipient })).reported).toEqual(reported);
  });

  it('accepts a throttled message at the third hand-over', async () => {
    const { carrier, taken } = aSimulator();
    const message = aSendingMessage({ recipient: '+15005550006' });
    const outcomes = [];
    for (const attempt of [1, 2, 3])
      outcomes.push((await carrier.handOver(message, { text: 'Hello' }, attempt)).outcome);
    expect(outcomes).toEqual(['try_again', 'try_again', 'accepted']);
    expect(taken.map((row) => row.attempt)).toEqual([3]);
  });

  it('has delivered arrive a second before sent where the order is turned round', async () => {
    const { carrier, queued } = aSimulator();
    await carrier.handOver(aSendingMessage({ recipient: '+15005550007' }), { text: 'Hello' }, 1);
    expect(queued.map((receipt) => receipt.delaySeconds)).toEqual([0, 0, 1, 1]);
  });
});

describe('an accepted hand-over', () => {
  it('is in the outbox with the body that was sent', async () => {
    const { carrier, taken } = aSimulator();
    await carrier.handOver(aSendingMessage({ from: 'ACME' }), { text: 'Your code is 123456' }, 1);
    expect(taken).toEqual([
      {
        message_id: 'msg_01KAG00000000000000000000A',
        channel: 'sms',
        to: '+447700900123',
        from: 'ACME',
        body: 'Your code is 123456',
        at: '2026-11-20T10:00:00.250Z',
        attempt: 1,
        carrierMessageId: 'carrier-1',
      },
    ]);
  });

  it('is there twice when the message was handed over twice', async () => {
    const { carrier, taken } = aSimulator();
    await carrier.handOver(aSendingMessage(), { text: 'Hello' }, 1);
    await carrier.handOver(aSendingMessage(), { text: 'Hello' }, 1);
    expect(taken.map((row) => row.carrierMessageId)).toEqual(['carrier-1', 'carrier-2']);
  });

  it('shows the content of a WhatsApp message without a text', async () => {
    const { carrier, taken } = aSimulator();
    const whatsapp = { type: 'location', location: { latitude: 51.5, longitude: -0.1 } } as const;
    await carrier.handOver(aSendingMessage({ channel: 'whatsapp', whatsapp }), { text: '' }, 1);
    expect(taken[0]?.body).toBe(JSON.stringify(whatsapp));
  });

  it('is answered with an id and the price of its segments, and is reported with the same', async () => {
    const { carrier, queued } = aSimulator();
    const answer = await carrier.handOver(aSendingMessage({ segments: 3 }), { text: 'Hello' }, 1);
    expect(answer).toEqual({
      outcome: 'accepted',
      carrierMessageId: 'carrier-1',
      cost: 0.12,
      currency: 'USD',
    });
    expect(parseNotification(queued[1]?.body ?? '').receipts).toEqual([
      {
        messageId: 'msg_01KAG00000000000000000000A',
        carrierMessageId: 'carrier-1',
        transition: {
          to: 'delivered',
          at: handedOverAt,
          carrierMessageId: 'carrier-1',
          cost: 0.12,
          currency: 'USD',
        },
      },
    ]);
  });

  it('is reported to the millisecond over WhatsApp too, although Meta has only seconds', async () => {
    const { carrier, queued } = aSimulator();
    await carrier.handOver(aSendingMessage({ channel: 'whatsapp' }), { text: 'Hello' }, 1);
    expect(parseNotification(queued[0]?.body ?? '').receipts[0]?.transition.at).toEqual(handedOverAt);
  });

  it.each([
    [{ from: '+12065550111' }, '+12065550111'],
    [{ sender: { identity: '+12065550111' } }, '+12065550111'],
    [{ sender: { identity: 'ACME' } }, '+15005550100'],
    [{}, '+15005550100'],
  ])('is answered at the number from which it came: %j', async (change, number) => {
    const { carrier, queued } = aSimulator();
    const message = aSendingMessage({ recipient: '+15005550009', ...change });
    await carrier.handOver(message, { text: 'Hello' }, 1);
    const replies = queued.flatMap(({ body }) => parseNotification(body).inbound);
    expect(replies).toMatchObject([{ person: '+15005550009', number, text: 'Hello' }]);
  });

  it('queues its receipts for its client', async () => {
    const { carrier, queued } = aSimulator();
    await carrier.handOver(aSendingMessage(), { text: 'Hello' }, 1);
    expect(new Set(queued.map((receipt) => receipt.clientId))).toEqual(new Set(['client-a']));
  });
});
