/** The fields that every new message has: client, recipient, sender, first state and end of the validity period. */
import type { Channel } from '../../contract/channels.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { countryOf } from '../../recipient/phone-number.ts';
import type { SelectSender } from '../../sender/select-sender.ts';
import type { Message } from '../message.ts';

/** Whose message it is, and from whom it is sent. */
export interface MessageOrigin {
  readonly messageId: string;
  readonly clientId: string;
  readonly select: SelectSender;
}

interface NewMessage extends MessageOrigin {
  readonly channel: Channel;
  readonly recipient: string;
  readonly expiresAt: Date;
}

interface SendRequest {
  readonly from?: string | undefined;
  readonly reference?: string | undefined;
  readonly webhook_url?: string | undefined;
  readonly scheduled_at?: Date | undefined;
}

/** `scheduled` where the request has a time, else `queued`. */
export function newMessage(
  { messageId, clientId, channel, recipient, expiresAt, select }: NewMessage,
  request: SendRequest,
  now: Date,
): Omit<Message, 'type'> {
  const createdAt = now.toISOString();
  const { from, reference, webhook_url, scheduled_at } = request;
  const country = countryOf(recipient);
  const sender = select({ channel, country, from });
  return {
    message_id: messageId,
    client_id: clientId,
    channel,
    recipient,
    ...withoutUndefined({ country, from, sender, reference, webhook_url }),
    created_at: createdAt,
    ...(scheduled_at === undefined
      ? { status: 'queued', queued_at: createdAt }
      : { status: 'scheduled', scheduled_at: scheduled_at.toISOString() }),
    expires_at: expiresAt.toISOString(),
  };
}
