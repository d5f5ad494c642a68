/** Messages of people, and what receives them, in memory. */

import type { InboundContext } from '../../../shared/message/receive-message.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import type { InboundMessage } from '../../../shared/message/whatsapp-content.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { numbersOwned } from '../doubles/no-senders.ts';
import type { InMemoryTables } from '../engine/in-memory-tables.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { aMessage } from './example-message.ts';

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
export function inMemoryReceiver(tables?: InMemoryTables) {
  const stores = inMemoryStores(tables);
  const { context, messages } = stores;
  const dependencies: InboundContext = {
    ...context,
    numbers: numbersOwned(),
  };
  return {
    dependencies,
    messages,
    context,
    entries: () => stores.tables.rows('activity_log'),
  };
}

/** When the first message to the person went out. */
export const start = new Date('2026-11-20T10:00:00.000Z');
const timeAfter = (seconds: number) => addSeconds(start, seconds).toISOString();

/** A message of a client to the person, so many seconds later. */
export function sentBy(client_id: string, seconds: number, change: object = {}) {
  const at = timeAfter(seconds);
  return aMessage({
    client_id,
    message_id: `msg_of_${client_id}_${seconds}`,
    recipient: person,
    status: 'sent',
    created_at: at,
    sent_at: at,
    ...change,
  });
}

/** A receiver after these messages. */
export async function afterSends(...messages: readonly ReturnType<typeof sentBy>[]) {
  const receiver = inMemoryReceiver();
  for (const message of messages) await createMessage(receiver.context, message);
  return receiver;
}
