/**
 * Stores which client last wrote to a recipient from each of our senders. Replies of the recipient belong to this client
 * (contract 13.1). A message counts when a carrier accepts it, not while it still waits.
 *
 * The rows are in `whatsapp-windows`, under keys that no client has: `#wrote sms +447700900123` (or `#wrote test sms …` for
 * test messages), and our sender. A malformed row is ignored, and the next message replaces it.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Channel } from '../../contract/channels.ts';
import { keptDays, type Mode, modeOf } from '../../contract/mode.ts';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { queryRows, type Row, readableRows } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { anySender, fromOf, mayBeTaken } from '../attempt.ts';
import type { Message } from '../message.ts';
import type { InboundMessage } from '../whatsapp-content.ts';

/** A message of this client that a carrier accepted. */
export interface Contact {
  readonly clientId: string;
  /** A number, a pool or the id of one of them; `*` if the carrier chose the sender. */
  readonly sender: string;
  /** The pool or the id from which the message was sent, if a receipt reported the number. */
  readonly via?: string;
  /** When the client wrote. If it wrote several times in a row, the first of these times. */
  readonly at: Date;
}

interface Addressee {
  readonly channel: Channel;
  /** The mode of the message; `live` by default. Test messages do not affect who gets replies to live messages. */
  readonly mode?: Mode;
  /** E.164, a short code, or the id of a WhatsApp user. */
  readonly person: string;
}

interface ContactKey {
  readonly client_id: string;
  readonly recipient: string;
}

type ContactsContext = Context<'WHATSAPP_WINDOWS_TABLE' | 'RETENTION_DAYS'>;

/**
 * Senders that can receive replies: phone numbers, short codes, and the carriers' ids of pools, numbers and services.
 * Sender IDs cannot.
 */
const answerable = /^(?:\+?\d+|\*|(?:pool|phone)-.*|MG[0-9a-f]{32}|arn:.*)$/;
/**
 * Senders that do not show the number: a pool or a service, any of whose numbers may have sent the message, or the id of a
 * number.
 */
const unnamed = /^(?:\*|(?:pool|phone)-.*|MG[0-9a-f]{32}|arn:.*)$/;

/** The attempt that a receipt is about; our number or its id; and Meta's id of the recipient. */
interface ReportedContact {
  readonly attempt?: number;
  readonly from?: string;
}

/** Returns the key of the contact for a message from this sender; undefined if the sender cannot receive replies. */
export function contactKeyOf(
  { channel, recipient: person, client_id }: Message,
  sender = anySender,
): ContactKey | undefined {
  return answerable.test(sender) ? keyOf({ channel, person, mode: modeOf(client_id) }, sender) : undefined;
}

/**
 * Stores the contact of a message that a carrier accepted.
 *
 * @param seen - the contact's row, as read immediately before the call
 */
export async function noteContactOfHandOver(
  ctx: ContactsContext,
  message: Message,
  at: Date,
  seen: Row | undefined,
): Promise<void> {
  const sender = fromOf(message) ?? anySender;
  const key = contactKeyOf(message, sender);
  if (key !== undefined) await replaceContact(ctx, key, { clientId: message.client_id, sender, at }, seen);
}

/** Stores the contact of a message that a receipt proves. */
export async function noteContact(
  context: ContactsContext,
  message: Message,
  at: Date,
  reported: ReportedContact = {},
): Promise<void> {
  const { channel, recipient: person, client_id: clientId } = message;
  const sender = fromOf(message, reported.attempt) ?? anySender;
  if (!answerable.test(sender)) return;
  const addressee = { channel, person, mode: modeOf(clientId) };
  await storeContact(context, addressee, { clientId, sender, at });
  const { from: named } = reported;
  if (named !== undefined && isNamed(message, reported))
    await storeContact(context, addressee, { clientId, sender: named, via: sender, at });
}

/** True if the receipt reports the number of a pool from which the message was sent. */
export function isNamed(message: Message, { attempt, from: named }: ReportedContact): boolean {
  const sender = fromOf(message, attempt) ?? anySender;
  return named !== undefined && named !== sender && unnamed.test(sender) && answerable.test(named);
}

/** Returns every sender from which a carrier may have sent the message. */
function sendersOf(message: Message): readonly string[] {
  const { attempts = [] } = message;
  const possible = attempts.filter(mayBeTaken).map(({ number }) => fromOf(message, number) ?? anySender);
  return possible.length > 0 ? possible : [fromOf(message) ?? anySender];
}

/**
 * True if a client may send from the number to which the recipient wrote. Needed only if a message does not name its
 * number.
 */
export type MayUse = (clientId: string) => boolean;

/** True if the message may have been sent from the number to which the recipient wrote. */
export function mayBeFrom(message: Message, inbound: InboundMessage, mayUse: MayUse): boolean {
  return sendersOf(message).some(
    (sender) => isExactly(sender, inbound) || (isAnyOf(sender, inbound) && mayUse(message.client_id)),
  );
}

/** Returns the message's pools and services that may contain the number to which the recipient wrote. */
export function unnamedSendersOf(message: Message, inbound: InboundMessage): readonly string[] {
  return sendersOf(message).filter((sender) => isAnyOf(sender, inbound));
}

/**
 * Returns the contacts from the number to which the recipient wrote. A pool counts only if no receipt reported one of its
 * numbers for its client; if this finds no contact, every pool counts. A number that rows give to other clients does not
 * belong to any pool of this client.
 */
export function contactsFor<Known extends Contact>(
  contacts: readonly Known[],
  inbound: InboundMessage,
  mayUse: MayUse,
): readonly Known[] {
  const isNamedOf = ({ clientId, sender }: Contact) =>
    contacts.some((other) => other.clientId === clientId && other.via === sender);
  const ofPools = contacts.filter(({ sender, clientId }) => isAnyOf(sender, inbound) && mayUse(clientId));
  const found = [
    ...contacts.filter(({ sender }) => isExactly(sender, inbound)),
    ...ofPools.filter((contact) => !isNamedOf(contact)),
  ];
  return found.length > 0 ? found : ofPools;
}

function isExactly(sender: string, { number, numberId }: InboundMessage): boolean {
  return sender === number || sender === numberId;
}

function isAnyOf(sender: string, { numberId }: InboundMessage): boolean {
  // A WhatsApp number is identified by its id.
  if (sender.startsWith('phone-number-id-')) return numberId === undefined;
  return unnamed.test(sender);
}

const contactRow = z.object({
  writer: z.string(),
  sender: z.string(),
  via: z.exactOptional(z.string()),
  wrote_at: z.iso.datetime(),
});
type ContactRow = z.output<typeof contactRow>;

/**
 * A contact is written again after this many days, so that it lives as long as messages are sent, and this much longer than
 * they are kept. A contact of test data must not live longer than its messages (contract 17.6), so it is written again each
 * day.
 */
const renewedDays = { live: 30, test: 1 } as const;
/** A recipient has fewer contacts than this, over all senders. */
const rowsMax = 5000;

/** The call can be repeated. */
export async function storeContact(
  ctx: ContactsContext,
  addressee: Addressee,
  contact: Contact,
): Promise<void> {
  const TableName = ctx.env.WHATSAPP_WINDOWS_TABLE;
  const Key = keyOf(addressee, contact.sender);
  // This read is eventually consistent. It may miss that another client has just written, and a reply to this message would
  // then go to that client.
  const { Item } = await ctx.db.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  await replaceContact(ctx, Key, contact, Item);
}

/** Writes nothing if the client was already the last to write from this sender, which is the usual case. */
async function replaceContact(
  { db, env }: ContactsContext,
  key: ContactKey,
  contact: Contact,
  seen: Row | undefined,
): Promise<void> {
  const row = rowOf(contact);
  const last = contactIn(seen);
  if (last?.writer === row.writer && isFresh(last, contact)) return;
  const isMalformed = seen !== undefined && last === undefined;
  await conditionalPut(db, {
    TableName: env.WHATSAPP_WINDOWS_TABLE,
    Item: { ...key, ...row, purge_at: purgeTimeOf(row, env.RETENTION_DAYS) },
    ...(isMalformed
      ? {}
      : {
          ConditionExpression: 'attribute_not_exists(wrote_at) OR wrote_at < :at',
          ExpressionAttributeValues: { ':at': row.wrote_at },
        }),
  });
}

/** Returns the contacts of a recipient for all senders, with an eventually consistent read. */
export async function contactsOf(
  { db, env }: Context<'WHATSAPP_WINDOWS_TABLE'>,
  addressee: Addressee,
): Promise<readonly Contact[]> {
  const contacts: Contact[] = [];
  const rows = queryRows(db, {
    TableName: env.WHATSAPP_WINDOWS_TABLE,
    KeyConditionExpression: 'client_id = :person',
    ExpressionAttributeValues: { ':person': keyOf(addressee, '').client_id },
  });
  for await (const item of rows) {
    const row = contactIn(item);
    if (row === undefined) continue;
    const { writer, sender, via, wrote_at } = row;
    contacts.push({ clientId: writer, sender, at: new Date(wrote_at), via });
    if (contacts.length >= rowsMax) break;
  }
  return contacts;
}

function purgeTimeOf({ writer, wrote_at }: ContactRow, retentionDays: number): number {
  const extraDays = modeOf(writer) === 'live' ? renewedDays.live : 0;
  return epochSeconds(addDays(new Date(wrote_at), keptDays(writer, retentionDays) + extraDays));
}

/**
 * Returns undefined if the row is missing or malformed. The log names only the client that wrote, because the key contains
 * the recipient's number.
 */
function contactIn(row: Row | undefined): ContactRow | undefined {
  return row && readableRows(contactRow, [row], 'writer')[0];
}

function keyOf({ channel, person, mode }: Addressee, sender: string): ContactKey {
  const written = mode === 'test' ? '#wrote test' : '#wrote';
  return { client_id: `${written} ${channel} ${person}`, recipient: sender };
}

function rowOf({ clientId, sender, via, at }: Contact): ContactRow {
  return { writer: clientId, sender, wrote_at: at.toISOString(), via };
}

function isFresh({ writer, wrote_at, via }: ContactRow, contact: Contact): boolean {
  return addDays(new Date(wrote_at), renewedDays[modeOf(writer)]) > contact.at && via === contact.via;
}
