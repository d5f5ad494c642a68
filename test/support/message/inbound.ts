/** Messages of people, and what receives them, in memory. */

import type { Activity } from '../../../shared/activity/activity-log.ts';
import type { ReceiveDependencies } from '../../../shared/message/receive/receive-message.ts';
import type { InboundMessage } from '../../../shared/message/received-content.ts';
import { numbersOwned } from '../doubles/no-senders.ts';
import { inMemoryStores } from '../engine/stores.ts';

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

/** What a message from a person changes, and what receives it. */
export function inMemoryReceiver() {
  const { messages, suppressions, windows, contacts, conversations } = inMemoryStores();
  const entries = new Map<string, Activity>();
  const dependencies: ReceiveDependencies = {
    messages,
    conversations,
    contacts,
    numbers: numbersOwned(),
    suppressions,
    windows,
    optOutWords: [],
    activityLog: { add: async (entry) => void entries.set(entry.entry_id, entry) },
  };
  return { dependencies, messages, suppressions, contacts, windows, entries };
}
