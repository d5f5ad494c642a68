/**
 * Finds the client that a person writes to: the one whose message the reply names, else the one that last wrote to that
 * person from this number (contract, section 13).
 */
import type { Message } from '../message.ts';
import type { InboundMessage } from './inbound-message.ts';

export interface Owner {
  readonly clientId: string;
  /** Our message that the person answers, where the carrier names it. */
  readonly inReplyTo?: string;
}

export interface Conversations {
  /** The newest messages with a person, of both directions and all clients, newest first. */
  newestWith(person: string, limit: number): Promise<readonly Message[]>;
}

/** A reply to an older message is assigned by the messages after it. */
const consideredMax = 50;

/** Undefined where nobody wrote to that person. */
export async function findOwner(
  conversations: Conversations,
  inbound: InboundMessage,
): Promise<Owner | undefined> {
  const messages = await conversations.newestWith(inbound.person, consideredMax);
  const own = messages.filter((message) => message.channel === inbound.channel);
  const answered = own.find(
    ({ direction, carrier_message_id }) =>
      direction === undefined && carrier_message_id !== undefined && carrier_message_id === inbound.repliesTo,
  );
  if (answered !== undefined) return { clientId: answered.client_id, inReplyTo: answered.message_id };
  const latest = own
    .filter((message) => isOfConversation(message, inbound))
    .toSorted((one, other) => lastAt(other) - lastAt(one))
    .at(0);
  return latest === undefined ? undefined : { clientId: latest.client_id };
}

/**
 * An earlier message of the person belongs to the conversation, because its owner was found the same way. So does a
 * message that a carrier took, unless it names another sender. Without one it was sent by the stage's sender, which can be
 * a pool of any numbers.
 */
function isOfConversation(message: Message, { number }: InboundMessage): boolean {
  if (message.direction === 'inbound') return message.from === number && message.client_id !== nobody;
  const wasTaken = message.sent_at !== undefined || message.status === 'sending';
  return wasTaken && (message.from === undefined || message.from === number);
}

function lastAt({ received_at, sent_at, sending_at, created_at }: Message): number {
  return Date.parse(received_at ?? sent_at ?? sending_at ?? created_at);
}

/** The client of a message that nobody owns. No client has this id. */
export const nobody = 'nobody';
