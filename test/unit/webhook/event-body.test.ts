import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { eventBody, planDeliveries } from '../../../shared/webhook/plan-deliveries.ts';
import { aMessage, aSentMessage } from '../../support/message/example-message.ts';

const sentAt = '2026-11-20T10:00:00.500Z';
const deliveredAt = '2026-11-20T10:00:02.000Z';
const readAt = '2026-11-20T10:00:09.000Z';
const account = 'https://account.example.com/hook';

const dataOf = (message: Message, status: Parameters<typeof eventBody>[1]) =>
  JSON.parse(eventBody(message, status)) as {
    event: string;
    timestamp: string;
    data: Record<string, unknown>;
  };

describe('the body of a webhook', () => {
  it('always has the four fields, without the unknown ones', () => {
    expect(dataOf(aSentMessage(), 'sent')).toEqual({
      event: 'sms.sent',
      timestamp: sentAt,
      data: {
        message_id: 'msg_01KAG00000000000000000000A',
        recipient: '+447700900123',
        status: 'sent',
        sent_at: sentAt,
        client_id: 'client-a',
      },
    });
  });

  it.each([
    [{ sender: { identity: 'ACME-GB' } }, 'ACME-GB'],
    [{ from: 'OTHER', sender: { identity: 'OTHER', messages_per_second: 5 } }, 'OTHER'],
    [{ from: 'OTHER' }, 'OTHER'],
  ])('has the sender of the message: %j', (sender, from) => {
    const { data } = JSON.parse(eventBody(aSentMessage(sender), 'sent'));
    expect(data.from).toBe(from);
  });

  it('has everything of the specification on delivery', () => {
    const delivered = aSentMessage({
      status: 'delivered',
      delivered_at: deliveredAt,
      cost: 0.0042,
      currency: 'USD',
      reference: 'order-42',
    });
    expect(dataOf(delivered, 'delivered')).toEqual({
      event: 'sms.delivered',
      timestamp: deliveredAt,
      data: {
        message_id: delivered.message_id,
        recipient: delivered.recipient,
        status: 'delivered',
        sent_at: sentAt,
        delivered_at: deliveredAt,
        cost: 0.0042,
        currency: 'USD',
        reference: 'order-42',
        client_id: 'client-a',
      },
    });
  });

  it('describes the state of the event, even if the message is already delivered', () => {
    const { data } = dataOf(aSentMessage({ status: 'delivered', delivered_at: deliveredAt }), 'sent');
    expect(data).toMatchObject({ status: 'sent' });
    expect(data).not.toHaveProperty('delivered_at');
  });

  it('has the error of a failure, and never null', () => {
    const failed = aSentMessage({
      status: 'failed',
      failed_at: deliveredAt,
      error_code: 'unreachable',
      error_message: 'Gone.',
    });
    expect(dataOf(failed, 'failed').data).toMatchObject({
      error_code: 'unreachable',
      error_message: 'Gone.',
    });
    const bare = eventBody(aMessage({ status: 'failed', failed_at: deliveredAt }), 'failed');
    expect(JSON.parse(bare).data).toMatchObject({
      error_code: expect.any(String),
      error_message: expect.any(String),
    });
    expect(bare).not.toContain('null');
  });

  it('reports expiry as sms.expired, and on WhatsApp as whatsapp.failed with the code expired', () => {
    const expired = { status: 'expired', expired_at: readAt } as const;
    expect(dataOf(aSentMessage(expired), 'expired')).toMatchObject({
      event: 'sms.expired',
      data: { error_code: 'expired' },
    });
    const whatsapp = aSentMessage({ ...expired, channel: 'whatsapp', error_code: 'carrier_timeout' });
    expect(dataOf(whatsapp, 'expired')).toMatchObject({
      event: 'whatsapp.failed',
      data: { error_code: 'expired' },
    });
  });

  it('adds read_at when it was read', () => {
    const read = aSentMessage({
      channel: 'whatsapp',
      status: 'read',
      delivered_at: deliveredAt,
      read_at: readAt,
    });
    expect(dataOf(read, 'read')).toMatchObject({
      event: 'whatsapp.read',
      timestamp: readAt,
      data: { read_at: readAt },
    });
    expect(dataOf(read, 'delivered').data).not.toHaveProperty('read_at');
  });
});

describe('the deliveries of a change', () => {
  const endpoints: [] = [];

  it('are one for each state entered, ids derived from message and event', () => {
    const after = aSentMessage({
      channel: 'whatsapp',
      status: 'read',
      delivered_at: deliveredAt,
      read_at: readAt,
    });
    const owed = { before: aMessage({ channel: 'whatsapp' }), after, accountUrl: undefined, endpoints };
    const planned = planDeliveries(owed);
    expect(planned.map(({ event }) => event)).toEqual([
      'whatsapp.sent',
      'whatsapp.delivered',
      'whatsapp.read',
    ]);
    expect(planned[0]?.delivery_id).toBe(derivedId('whd', after.message_id, 'whatsapp.sent'));
    expect(planDeliveries(owed)).toEqual(planned);
  });

  it('go to the URL of the request, or of the account; without either there are none', () => {
    const { webhook_url: _, ...noUrl } = aSentMessage();
    const { webhook_url: _before, ...beforeNoUrl } = aMessage();
    const withUrl = { before: aMessage(), after: aSentMessage(), accountUrl: account, endpoints };
    expect(planDeliveries(withUrl)[0]?.url).toBe('https://endpoint.example.com/hook');
    const withoutUrl = { before: beforeNoUrl, after: noUrl, endpoints };
    expect(planDeliveries({ ...withoutUrl, accountUrl: account })[0]?.url).toBe(account);
    expect(planDeliveries({ ...withoutUrl, accountUrl: undefined })).toEqual([]);
  });

  it('are none for a change that enters no state', () => {
    const after = aSentMessage({ carrier_message_id: 'x' });
    expect(planDeliveries({ before: aSentMessage(), after, accountUrl: account, endpoints })).toEqual([]);
  });
});
