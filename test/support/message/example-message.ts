/** Messages as the relay sees them, for tests of webhooks. */
import type { Message } from '../../../shared/message/message.ts';

export const created = new Date('2026-11-20T10:00:00.000Z');

export function aMessage(more: Partial<Message> = {}): Message {
  return {
    message_id: 'msg_01KAG00000000000000000000A',
    client_id: 'client-a',
    channel: 'sms',
    status: 'queued',
    recipient: '+447700900123',
    type: 'transactional',
    webhook_url: 'https://endpoint.example.com/hook',
    created_at: created.toISOString(),
    queued_at: created.toISOString(),
    expires_at: '2026-11-23T10:00:00.000Z',
    ...more,
  };
}

/** Just sent to the carrier: leads to exactly one event. */
export function aSentMessage(more: Partial<Message> = {}): Message {
  return aMessage({ status: 'sent', sent_at: '2026-11-20T10:00:00.500Z', ...more });
}
