/**
 * Messages under ids that the run itself gives, for requests whose own are drawn at random: the shard of a message
 * follows from its id, and so does the order of what happens, which is to be the same for the same seed.
 */

import type { Message } from '../../../shared/message/message.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';

interface RenamedMessages {
  readonly messages: MessageStore;
  /** Under which id a message is stored that its request knows by another. */
  storedId(messageId: string): string;
}

/** @param name - another one for each request */
export function renamedMessages(messages: MessageStore, name: string): RenamedMessages {
  const ids = new Map<string, string>();

  function renamed(message: Message): Message {
    const id =
      ids.get(message.message_id) ?? derivedIdAt('msg', new Date(message.created_at), name, String(ids.size));
    ids.set(message.message_id, id);
    return { ...message, message_id: id };
  }

  return {
    messages: {
      ...messages,
      create: (message) => messages.create(renamed(message)),
      createMany: (many) => messages.createMany(many.map(renamed)),
    },
    storedId: (messageId) => ids.get(messageId) ?? messageId,
  };
}
