/**
 * Finds the client of an inbound message, in this order (contract 13.1): the owner of the number, the client whose message
 * the reply names, the client whose message a carrier last accepted from this number to the sender, the client whose
 * message a carrier may have.
 */

import { clientIdIn, modeOf, settingsIdOf } from '../contract/mode.ts';
import { recipientsOfPerson } from '../contract/phone-number.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import type { Context } from '../platform/context.ts';
import type { NumberOwners } from '../sender/number-owners.ts';
import { anySender } from './attempt.ts';
import type { Message } from './message.ts';
import {
  type Contact,
  contactsFor,
  contactsOf,
  type MayUse,
  mayBeFrom,
  unnamedSendersOf,
} from './store/contacts.dynamo.ts';
import { conversationPages, possiblyTakenOf, takenOf, type Written } from './store/conversations.dynamo.ts';
import { numberOfUser } from './store/whatsapp-users.dynamo.ts';
import type { InboundMessage } from './whatsapp-content.ts';

interface Owner {
  readonly clientId: string;
  /** Our message that the recipient replies to, if the carrier names it. */
  readonly inReplyTo?: string;
}

export async function findOwner(
  ctx: Context<'MESSAGES_TABLE' | 'WHATSAPP_WINDOWS_TABLE'> & {
    readonly numbers: NumberOwners;
  },
  inbound: InboundMessage,
): Promise<{
  /** Undefined if no carrier accepted a message from this number to this recipient. */
  readonly owner: Owner | undefined;
  /** The recipient's number to which the owner wrote; otherwise the recipient as the carrier reports them. */
  readonly recipient: string;
  /** The spellings of the recipient's number, if it is known, and the id of a WhatsApp user. */
  readonly recipients: readonly string[];
  /** Our number, and `*` if that may mean it: if Meta told one of them the user's number, the number is known. */
  readonly toldTo: readonly string[];
  /** Our senders that received the message: the number, its id, and the pools and services that may contain it. */
  readonly senders: readonly string[];
  /** True if a message to this recipient is being handed over, so that its client may soon be known. */
  readonly isHandedOver: boolean;
}> {
  const { numbers } = ctx;
  const { person, user, channel, mode = 'live' } = inbound;
  const number = inbound.numberId ?? inbound.number;
  const [numberOwner, holders] = await Promise.all([
    numbers.ownerOf(number, channel),
    numbers.holdersOf(number, channel),
  ]);
  const holder = numberOwner && clientIdIn(mode, numberOwner);
  // The carrier's own sender may be this number, unless that belongs to a client.
  const toldTo = [number, ...(holder === undefined ? [anySender] : [])];
  const known = user === person ? await numberOfUser(ctx, user, toldTo, mode) : undefined;
  const recipients = [
    ...new Set([...recipientsOfPerson(known ?? person), ...(user === undefined ? [] : [user])]),
  ];
  const noted = await Promise.all(
    recipients.map(async (recipient) =>
      (await contactsOf(ctx, { channel, person: recipient, mode })).map((each) => ({ ...each, recipient })),
    ),
  );
  const mayUse: MayUse = (clientId) =>
    holders === undefined || holders.has(settingsIdOf(clientId)) || holders.has(everyClient);
  const contactsOfNumber = contactsFor(noted.flat(), inbound, mayUse);
  const written: Written[] = [...contactsOfNumber];
  const possiblyWritten: Written[] = [];
  const unnamed: string[] = [];
  let answered: Owner | undefined;
  let isHandedOver = false;
  for await (const page of conversationPages(ctx, recipients)) {
    const from = page.filter(
      (message) =>
        message.channel === channel &&
        modeOf(message.client_id) === mode &&
        mayBeFrom(message, inbound, mayUse),
    );
    const sent = from.filter(({ direction }) => direction === undefined);
    written.push(...sent.flatMap(takenOf));
    possiblyWritten.push(...sent.flatMap(possiblyTakenOf));
    unnamed.push(...sent.flatMap((message) => unnamedSendersOf(message, inbound)));
    isHandedOver ||= sent.some(({ status }) => status === 'sending');
    answered ??= answeredIn(sent, inbound, holder);
    if (holder !== undefined || written.length > 0) break;
  }
  // If somebody replies, the message has arrived, even if the carrier's response was lost.
  const writers = (written.length > 0 ? written : possiblyWritten).toSorted(
    (one, other) => other.at.getTime() - one.at.getTime(),
  );
  const ownerId = holder ?? writers.at(0)?.clientId;
  const owner = answered ?? (ownerId === undefined ? undefined : { clientId: ownerId });
  const { recipient = person } = writers.find(({ clientId }) => clientId === owner?.clientId) ?? {};
  const pools = contactsOfNumber.length > 0 ? contactsOfNumber.flatMap(poolsOf) : unnamed;
  const senders = [inbound.number, ...toldTo, ...pools];
  return {
    ...{ owner, recipient, recipients, toldTo, isHandedOver },
    senders: [...new Set(senders)].slice(0, sendersMax),
  };
}

/** So many senders, with 20 clients and three names of a recipient, fit into one transaction. */
const sendersMax = 13;

function poolsOf({ sender, via }: Contact): readonly string[] {
  return via === undefined ? [sender] : [sender, via];
}

function answeredIn(
  messages: readonly Message[],
  { repliesTo }: InboundMessage,
  holder: string | undefined,
): Owner | undefined {
  const answered = messages.find(
    ({ client_id, carrier_message_id }) =>
      carrier_message_id !== undefined &&
      carrier_message_id === repliesTo &&
      (holder === undefined || client_id === holder),
  );
  return answered && { clientId: answered.client_id, inReplyTo: answered.message_id };
}

/** The client id of messages that belong to no client. No client has this id. */
export const unassignedClientId = 'nobody';

/** True if an inbound message belongs to no client, in either mode. */
export function isUnassigned({ client_id }: { readonly client_id: string }): boolean {
  return settingsIdOf(client_id) === unassignedClientId;
}
