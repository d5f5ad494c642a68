/**
 * Finds the client that a person writes to: the one to which the number belongs, else the one whose message the reply
 * names, else the one whose message a carrier last took from this number to that person, or may have taken where none is
 * known to (contract 13.1).
 */

import { clientIdIn, modeOf, settingsIdOf } from '../contract/mode.ts';
import { recipientsOfPerson } from '../contract/phone-number.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import type { NumberOwners } from '../sender/number-owners.ts';
import type { Message } from './message.ts';
import type { InboundMessage } from './received-content.ts';
import { type Contacts, contactsFrom, type MayUse, mayBeFrom } from './store/contacts.dynamo.ts';
import {
  type Conversations,
  pagesWith,
  possiblyTakenOf,
  takenOf,
  type Written,
} from './store/conversations.dynamo.ts';

interface Owner {
  readonly clientId: string;
  /** Our message that the person replies to, if the carrier names it. */
  readonly inReplyTo?: string;
}

export interface Found {
  /** Undefined where no carrier took a message from this number to that person. */
  readonly owner: Owner | undefined;
  /** The number of the person to which the owner wrote; if there is none, the person as the carrier names it. */
  readonly recipient: string;
  /** The other clients that wrote from this number, which is nobody's own. */
  readonly others: readonly string[];
  /** Whether a message to that person is being handed over, so that its client may be known in a moment. */
  readonly isHandedOver: boolean;
}

/**
 * @param asksFor - what the person asks for by a keyword. It concerns every client that wrote, so that older messages are
 * looked at in any case; START also concerns the clients of which the carrier refused a message because of the STOP.
 */
export async function findOwner(
  {
    conversations,
    contacts,
    numbers,
  }: {
    readonly conversations: Conversations;
    readonly contacts: Pick<Contacts, 'of'>;
    readonly numbers: NumberOwners;
  },
  inbound: InboundMessage,
  asksFor: Message['opt_keyword'],
): Promise<Found> {
  const { person, channel, mode = 'live' } = inbound;
  const number = inbound.numberId ?? inbound.number;
  const recipients = recipientsOfPerson(person);
  const [numberOwner, holders, noted] = await Promise.all([
    numbers.ownerOf(number, channel),
    numbers.holdersOf(number, channel),
    Promise.all(
      recipients.map(async (recipient) =>
        (await contacts.of({ channel, person: recipient, mode })).map((each) => ({
          ...each,
          recipient: each.number ?? recipient,
        })),
      ),
    ),
  ]);
  const known = [
    ...new Set([...recipients, ...noted.flat().flatMap(({ recipient }) => recipientsOfPerson(recipient))]),
  ];
  const holder = numberOwner && clientIdIn(mode, numberOwner);
  const mayUse: MayUse = (clientId) =>
    holders === undefined || holders.has(settingsIdOf(clientId)) || holders.has(everyClient);
  const written: Written[] = [...contactsFrom(noted.flat(), inbound, mayUse)];
  const possiblyWritten: Written[] = [];
  const refused = new Set<string>();
  let answered: Owner | undefined;
  let isHandedOver = false;
  for await (const page of pagesWith(conversations, known)) {
    const from = page.filter(
      (message) =>
        message.channel === channel &&
        modeOf(message.client_id) === mode &&
        mayBeFrom(message, inbound, mayUse),
    );
    const sent = from.filter(({ direction }) => direction === undefined);
    written.push(...sent.flatMap(takenOf));
    possiblyWritten.push(...sent.flatMap(possiblyTakenOf));
    if (asksFor === 'opt_in') for (const each of sent.filter(isOptOutRefusal)) refused.add(each.client_id);
    isHandedOver ||= sent.some(({ status }) => status === 'sending');
    answered ??= answeredIn(sent, inbound, holder);
    if (holder !== undefined || (written.length > 0 && asksFor === undefined)) break;
  }
  // The person has the message, although the carrier's response was lost.
  const writers = (written.length > 0 ? written : possiblyWritten).toSorted(
    (one, other) => other.at.getTime() - one.at.getTime(),
  );
  const ownerId = holder ?? writers.at(0)?.clientId;
  const owner = answered ?? (ownerId === undefined ? undefined : { clientId: ownerId });
  const { recipient = person } = writers.find(({ clientId }) => clientId === owner?.clientId) ?? {};
  if (holder !== undefined) return { owner, recipient, others: [], isHandedOver };
  const told = asksFor === undefined ? written : [...written, ...possiblyWritten];
  const clients = new Set([...told.map(({ clientId }) => clientId), ...refused]);
  if (owner !== undefined) clients.delete(owner.clientId);
  return { owner, recipient, others: [...clients], isHandedOver };
}

function isOptOutRefusal({ error_code, suppressed }: Message): boolean {
  return error_code === 'recipient_opted_out' && suppressed === undefined;
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

/** The client of a message that nobody owns. No client has this id. */
export const unassignedClientId = 'nobody';

/** Whether a message from a person belongs to nobody, in either mode. */
export function isUnassigned({ client_id }: Pick<Message, 'client_id'>): boolean {
  return settingsIdOf(client_id) === unassignedClientId;
}
