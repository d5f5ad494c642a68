/**
 * Finds the client that a person writes to: the one to which the number belongs, else the one whose message the reply
 * names, else the one that last wrote to that person from this number (contract, section 13).
 */
import type { OwnerOfNumber } from '../../sender/number-owners.ts';
import type { Message } from '../message.ts';
import { listPosition } from '../store/message-row.ts';
import type { InboundMessage } from './inbound-message.ts';

export interface Owner {
  readonly clientId: string;
  /** Our message that the person answers, where the carrier names it. */
  readonly inReplyTo?: string;
}

export interface Conversations {
  /**
   * The newest messages with a person, of both directions and all clients, newest first.
   *
   * @param before - the list position of the last message of the page before
   */
  newestWith(person: string, limit: number, before?: string): Promise<readonly Message[]>;
}

interface OwnerDependencies {
  readonly conversations: Conversations;
  readonly ownerOfNumber: OwnerOfNumber;
}

/** A reply to a message of an older page is assigned by the messages after it. */
const pageSize = 100;
/** Thousands may wait for one person, scheduled or queued, whom the person cannot answer. */
const consideredMax = 2000;

/** Undefined where nobody wrote to that person. */
export async function findOwner(
  { conversations, ownerOfNumber }: OwnerDependencies,
  inbound: InboundMessage,
): Promise<Owner | undefined> {
  const holder = await ownerOfNumber(inbound.numberId ?? inbound.number, inbound.channel);
  let waiting: Message | undefined;
  let before: string | undefined;
  for (let considered = 0; considered < consideredMax; considered += pageSize) {
    const page = await conversations.newestWith(inbound.person, pageSize, before);
    const own = page.filter(
      ({ channel, client_id }) =>
        channel === inbound.channel && (holder === undefined || client_id === holder),
    );
    const found = answeredIn(own, inbound) ?? lastWriterIn(own, inbound);
    if (found !== undefined) return found;
    waiting ??= own.find(({ direction }) => direction === undefined);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    before = listPosition(last);
  }
  if (holder !== undefined) return { clientId: holder };
  // No carrier took anything yet that could be answered. A STOP must not be lost on those who are about to write.
  return waiting === undefined ? undefined : { clientId: waiting.client_id };
}

function answeredIn(messages: readonly Message[], { repliesTo }: InboundMessage): Owner | undefined {
  const answered = messages.find(
    ({ direction, carrier_message_id }) =>
      direction === undefined && carrier_message_id !== undefined && carrier_message_id === repliesTo,
  );
  return answered && { clientId: answered.client_id, inReplyTo: answered.message_id };
}

function lastWriterIn(messages: readonly Message[], inbound: InboundMessage): Owner | undefined {
  const latest = messages
    .filter((message) => isOfConversation(message, inbound))
    .toSorted((one, other) => lastAt(other) - lastAt(one))
    .at(0);
  return latest && { clientId: latest.client_id };
}

/**
 * An earlier message of the person belongs to the conversation, because its owner was found the same way. So does a
 * message that a carrier took, unless it names another sender. Without one it was sent by the stage's sender, which can be
 * a pool of any numbers.
 */
function isOfConversation(message: Message, inbound: InboundMessage): boolean {
  if (message.direction === 'inbound') return message.from === inbound.number && message.client_id !== nobody;
  const wasTaken = message.sent_at !== undefined || message.status === 'sending';
  const sender = message.sender?.identity ?? message.from;
  return wasTaken && (sender === undefined || mayBeFrom(sender, inbound));
}

function mayBeFrom(sender: string, { number, numberId }: InboundMessage): boolean {
  if (sender.startsWith('phone-number-id-')) return numberId === undefined || sender === numberId;
  return sender === number || resourceOfAws.test(sender);
}

/** A pool, any of whose numbers may have sent the message, or the id of a number. */
const resourceOfAws = /^(?:pool|phone)-|:(?:pool|phone-number)\//;

function lastAt({ received_at, sent_at, sending_at, created_at }: Message): number {
  return Date.parse(received_at ?? sent_at ?? sending_at ?? created_at);
}

/** The client of a message that nobody owns. No client has this id. */
export const nobody = 'nobody';
