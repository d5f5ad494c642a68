/** A client's list over messages in memory. */
import type { MessageList } from '../../../shared/message/store/message-list.ts';
import { listPosition } from '../../../shared/message/store/message-row.ts';
import type { MemoryMessageStore } from './memory-message-store.ts';

export function memoryMessageList(messages: Pick<MemoryMessageStore, 'all'>): MessageList {
  return {
    async *keys({ clientId, reference, from, before }) {
      const found = messages
        .all()
        .filter((message) => message.client_id === clientId)
        .filter((message) => reference === undefined || message.reference === reference)
        .map((message) => ({ messageId: message.message_id, position: listPosition(message) }))
        .filter(({ position }) => position >= from && position < before);
      yield* found.toSorted((a, b) => (a.position < b.position ? 1 : -1));
    },
  };
}
