/** A message as the tests of the carriers hand it over. */
import type { Message } from '../../../shared/message/message.ts';
import { countryOf } from '../../../shared/recipient/phone-number.ts';

export const handedOverAt = new Date('2026-11-20T10:00:00.250Z');

export function aMessage(change: Partial<Message> = {}): Message {
  const { recipient = '+447700900123' } = change;
  const country = countryOf(recipient);
  return {
    message_id: 'msg_01KAFF00000000000000000000',
    client_id: 'acme',
    channel: 'sms',
    status: 'sending',
    recipient,
    ...(country === undefined ? {} : { country }),
    type: 'transactional',
    text: 'Hello',
    segments: 1,
    created_at: '2026-11-20T09:59:59.000Z',
    expires_at: '2026-11-23T09:59:59.000Z',
    ...change,
  };
}
