/** The simulator handles each recipient as in the contract's table, and its receipts have the form of real ones. */
import { describe, expect, it } from '@jest/globals';
import { parseTopicNotification } from '../../../shared/carrier/aws/aws-reports.ts';
import type { OutboxEntry } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { simulatedCarrier } from '../../../shared/carrier/simulator/simulator.ts';
import type { Message } from '../../../shared/message/message.ts';
import { aSendingMessage, handedOverAt, handOverOf } from '../../support/message/example-message.ts';

function aSimulator() {
  const taken: (OutboxEntry & { attempt: number; carrierMessageId: string })[] = [];
  const queued: { body: string; delaySeconds: number; clientId: string }[] = [];
  const carrier = simulatedCarrier({
    outbox: {
      record: async (entry, attempt, carrierMessageId) => {
        taken.push({ ...entry, attempt, carrierMessageId });
      },
    },
    sendReceipts: async (receipts, clientId) => {
      queued.push(...receipts.map((receipt) => ({ ...receipt, clientId })));
    },
    prices: { currency: 'USD', sms: { GB: 0.04, default: 0.05 }, whatsapp: { default: 0.01 } },
  });
  return {
    carrier,
    taken,
    queued,
    reported: () =>
      queued.flatMap((receipt) =>
        parseTopicNotification(receipt.body).receipts.map((read) => read.transition.to),
      ),
  };
}

async function reportsFor(change: Partial<Message>) {
  const { carrier, reported } = aSimulator();
  const answer = await carrier.handOver(handOverOf(aSendingMessage(change), { text: 'Hello' }));
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
    ['+15005550006', 'throttled', []],
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

  it.each([
    ['+15005550006', {}],
    ['+15005550010', { forRecipient: true }],
  ])('accepts a throttled message to %s at the third hand-over', async (recipient, more) => {
    const { carrier, taken } = aSimulator();
    const message = aSendingMessage({ recipient });
    const outcomes = [];
    for (const attempt of [1, 2, 3])
      outcomes.push(await carrier.handOver(handOverOf(message, { text: 'Hello' }, attempt)));
    const throttled = { outcome: 'throttled', reason: 'the simulator throttles', ...more };
    expect(outcomes).toMatchObject([throttled, throttled, { outcome: 'accepted' }]);
    expect(outcomes[0]).toEqual(throttled);
    expect(taken.map((row) => row.attempt)).toEqual([3]);
  });

  it('has delivered arrive a second before sent where the order is turned round', async () => {
    const { carrier, queued } = aSimulator();
    await carrier.handOver(handOverOf(aSendingMessage({ recipient: '+15005550007' }), { text: 'Hello' }));
    expect(queued.map((receipt) => receipt.delaySeconds)).toEqual([0, 0, 1, 1]);
  });
});

const id = 'msg_01KAG00000000000000000000A';

describe('an accepted hand-over', () => {
  it('is in the outbox with the body that was sent', async () => {
    const { carrier, taken } = aSimulator();
    await carrier.handOver(handOverOf(aSendingMessage({ from: 'ACME' }), { text: 'Your code is 123456' }));
    expect(taken).toEqual([
      {
        message_id: 'msg_01KAG00000000000000000000A',
        client_id: 'client-a',
        channel: 'sms',
        to: '+447700900123',
        from: 'ACME',
        body: 'Your code is 123456',
        at: '2026-11-20T10:00:00.250Z',
        attempt: 1,
        carrierMessageId: `${id}.1`,
      },
    ]);
  });

  it('has the ids and the time of its attempt, so that a repeat of the attempt is recognized and another is not', async () => {
    const { carrier, taken } = aSimulator();
    for (const attempt of [1, 1, 2])
      await carrier.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }, attempt));
    expect(taken.map((row) => row.carrierMessageId)).toEqual([`${id}.1`, `${id}.1`, `${id}.2`]);
    expect(new Set(taken.map((row) => row.at)).size).toBe(1);
  });

  it('shows the content of a WhatsApp message without a text', async () => {
    const { carrier, taken } = aSimulator();
    const whatsapp = { type: 'location', location: { latitude: 51.5, longitude: -0.1 } } as const;
    await carrier.handOver(handOverOf(aSendingMessage({ channel: 'whatsapp', whatsapp }), { text: '' }));
    expect(taken[0]?.body).toBe(JSON.stringify(whatsapp));
  });

  it('is answered with an id and the price of its segments, and is reported with the same', async () => {
    const { carrier, queued } = aSimulator();
    const answer = await carrier.handOver(handOverOf(aSendingMessage({ segments: 3 }), { text: 'Hello' }));
    expect(answer).toEqual({
      outcome: 'accepted',
      carrierMessageId: `${id}.1`,
      cost: 0.12,
      currency: 'USD',
    });
    expect(parseTopicNotification(queued[1]?.body ?? '').receipts).toEqual([
      {
        messageId: id,
        attempt: 1,
        carrierMessageId: `${id}.1`,
        transition: {
          to: 'delivered',
          at: handedOverAt,
          carrierMessageId: `${id}.1`,
          cost: 0.12,
          currency: 'USD',
        },
      },
    ]);
  });

  it('is reported to the millisecond over WhatsApp too, although Meta has only seconds', async () => {
    const { carrier, queued } = aSimulator();
    await carrier.handOver(handOverOf(aSendingMessage({ channel: 'whatsapp' }), { text: 'Hello' }));
    expect(parseTopicNotification(queued[0]?.body ?? '').receipts[0]?.transition.at).toEqual(handedOverAt);
  });

  it.each([
    [{ from: '+12065550111' }, '+12065550111'],
    [{ sender: { identity: '+12065550111' } }, '+12065550111'],
    [{ sender: { identity: 'ACME' } }, '+15005550100'],
    [{}, '+15005550100'],
  ])('is answered at the number from which it came: %j', async (change, number) => {
    const { carrier, queued } = aSimulator();
    const message = aSendingMessage({ recipient: '+15005550009', ...change });
    await carrier.handOver(handOverOf(message, { text: 'Hello' }));
    const replies = queued.flatMap(({ body }) => parseTopicNotification(body).inbound);
    expect(replies).toMatchObject([{ person: '+15005550009', number, text: 'Hello' }]);
  });

  it('queues its receipts for its client', async () => {
    const { carrier, queued } = aSimulator();
    await carrier.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }));
    expect(new Set(queued.map((receipt) => receipt.clientId))).toEqual(new Set(['client-a']));
  });
});
