/** A messages table whose SMS go from a sender with a pace, as a send stores them: bulk messages with their slots. */

import { reserveBulkSlots } from '../../../shared/message/dispatch/bulk-slots.ts';
import type { SenderPace } from '../../../shared/message/dispatch/sender-pace.ts';
import type { Message } from '../../../shared/message/message.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';

export function pacedMessages(
  store: MessageStore,
  pace: SenderPace,
  sender: { readonly identity: string; readonly messages_per_second: number },
): MessageStore {
  const fromSender = (message: Message): Message =>
    message.channel === 'sms' ? { ...message, sender: { ...sender } } : message;
  return {
    ...store,
    create: (message) => store.create(fromSender(message)),
    async createMany(messages) {
      const { messages: withSlots } = await reserveBulkSlots(pace, messages.map(fromSender));
      await store.createMany(withSlots);
    },
  };
}
