/** Messages of people, and what receives them, in memory. */
import type { Activity } from '../../../shared/activity/activity-log.ts';
import type { Conversations } from '../../../shared/message/receive/find-owner.ts';
import type { InboundMessage } from '../../../shared/message/receive/inbound-message.ts';
import type { ReceiveDependencies } from '../../../shared/message/receive/receive-message.ts';
import type { WhatsAppWindows } from '../../../shared/message/receive/whatsapp-window.ts';
import { listPosition } from '../../../shared/message/store/message-row.ts';
import { type MemoryMessageStore, memoryMessageStore } from '../doubles/memory-message-store.ts';
import { memorySuppressionStore } from '../doubles/memory-suppression-store.ts';

export const person = '+447700900123';
export const ourNumber = '+447418367358';

let received = 0;

export function anInbound(change: Partial<InboundMessage> = {}): InboundMessage {
  received += 1;
  return {
    channel: 'sms',
    carrierMessageId: `inbound-${received}`,
    person,
    number: ourNumber,
    receivedAt: new Date('2026-11-20T12:00:00.000Z'),
    text: 'Hello',
    ...change,
  };
}

/** As the index by recipient has them: newest first. */
export function memoryConversations(messages: Pick<MemoryMessageStore, 'all'>): Conversations {
  return {
    async newestWith(recipient, limit, before = '~') {
      return messages
        .all()
        .filter((message) => message.recipient === recipient && listPosition(message) < before)
        .toSorted((a, b) => (listPosition(a) < listPosition(b) ? 1 : -1))
        .slice(0, limit);
    },
  };
}

export function memoryWhatsAppWindows(): WhatsAppWindows {
  const opened = new Map<string, Date>();
  return {
    async open(clientId, recipient, at) {
      const known = opened.get(`${clientId} ${recipient}`);
      if (known === undefined || known < at) opened.set(`${clientId} ${recipient}`, at);
    },
    openedAt: async (clientId, recipient) => opened.get(`${clientId} ${recipient}`),
  };
}

/** What a message from a person changes, and what receives it. */
export function memoryReceiver() {
  const messages = memoryMessageStore();
  const suppressions = memorySuppressionStore();
  const windows = memoryWhatsAppWindows();
  const entries = new Map<string, Activity>();
  const dependencies: ReceiveDependencies = {
    messages,
    conversations: memoryConversations(messages),
    ownerOfNumber: async () => undefined,
    suppressions,
    windows,
    optOutWords: [],
    activityLog: { add: async (entry) => void entries.set(entry.entry_id, entry) },
  };
  return { dependencies, messages, suppressions, windows, entries };
}
