/**
 * Stores an inbound message, and carries out its keyword, such as STOP. The row is written first, with an id that is
 * derived from the carrier's id, so that the owner is determined only once. Every later step is derived from the row and
 * may be repeated.
 *
 *   row ─ crash → the queue delivers the notification again: the row is found, and the steps after it are done
 *   number of a WhatsApp user, suppressions (one transaction), window ─ crash → the same; each is a conditional write that a repeat does not change
 *   The webhooks (`sms.received`, `recipient.opted_out`) follow from the row by the table's stream.
 */
import { notify } from '../activity/write-activity.dynamo.ts';
import type { Channel } from '../contract/channels.ts';
import { clientIdIn, modeOf } from '../contract/mode.ts';
import { optKeywordOf } from '../contract/opt-out-words.ts';
import { countryOf, recipientsOfPerson } from '../contract/phone-number.ts';
import type { Context } from '../platform/context.ts';
import { derivedId, derivedIdAt } from '../platform/ids.ts';
import type { NumberOwners } from '../sender/number-owners.ts';
import { findOwner, isUnassigned, unassignedClientId } from './find-owner.ts';
import type { Message } from './message.ts';
import { createMessage } from './store/messages.dynamo.ts';
import { noteUser, numberOfUser } from './store/whatsapp-users.dynamo.ts';
import { openWindow } from './store/whatsapp-window.dynamo.ts';
import { applyKeyword } from './suppression/suppressions.dynamo.ts';
import type { InboundMessage } from './whatsapp-content.ts';

/** The context of the receiver; `numbers` caches the rows of `senders` for at most 45 s. */
export interface InboundContext
  extends Context<
    | 'ACTIVITY_LOG_TABLE'
    | 'MESSAGES_TABLE'
    | 'OPT_OUT_WORDS'
    | 'RETENTION_DAYS'
    | 'SUPPRESSIONS_TABLE'
    | 'WHATSAPP_WINDOWS_TABLE'
  > {
  readonly numbers: NumberOwners;
}

/** Thrown if it is unknown which client wrote to the person, but a message to them is being handed over. */
class TooEarly extends Error {
  override readonly name = 'TooEarly';
}

const tooEarlySeconds = 15;

/**
 * So many receives take longer than the claim of a hand-over. By then, a carrier has accepted the message, or the message
 * waits.
 */
const tooEarlyReceives = 6;

/**
 * Receives the inbound messages of one queue message, and returns if the queue must deliver it again. A repeated message
 * changes nothing, so a message that fails does not delay the others.
 *
 * @param receives - how often the queue has delivered this message, including this time
 */
export async function receiveMessages(
  ctx: InboundContext,
  inbound: readonly InboundMessage[],
  receives: number,
) {
  const received: Awaited<ReturnType<typeof receiveMessage>>[] = [];
  const failures: unknown[] = [];
  let retryAfterSeconds: number | undefined;
  for (const each of inbound) {
    try {
      received.push(await receiveMessage(ctx, each, receives));
    } catch (error) {
      if (error instanceof TooEarly) retryAfterSeconds = tooEarlySeconds;
      else failures.push(error);
    }
  }
  return { received, failures, retryAfterSeconds };
}

/**
 * Receives one message.
 *
 * @param receives - how often the queue has delivered this message, including this time
 * @throws TooEarly if the queue must deliver the message again
 */
export async function receiveMessage(
  ctx: InboundContext,
  inbound: InboundMessage,
  receives: number,
): Promise<{
  readonly message: Message;
  readonly outcome: 'received' | 'repeated';
}> {
  // A text, or the title of the WhatsApp button that the sender pressed.
  const said = inbound.text ?? inbound.content?.button_reply?.title ?? '';
  const keyword = optKeywordOf(said, ctx.env.OPT_OUT_WORDS);
  const found = await findOwner(ctx, inbound);
  if (found.owner === undefined && found.isHandedOver && receives <= tooEarlyReceives) throw new TooEarly();
  const row = rowOf(inbound, found, keyword?.asksFor);
  const creating = await createMessage(ctx, row);
  const message = creating.created ? row : creating.existing;
  if (isUnassigned(message)) await noteUnassigned(ctx, message);
  const { person, user } = inbound;
  if (user !== undefined && user !== person)
    for (const sender of found.toldTo)
      await noteUser(ctx, {
        ...{ user, number: person, sender },
        clientId: message.client_id,
        at: inbound.receivedAt,
      });
  await follow(ctx, message, found.recipients, keyword?.word);
  // The number may have become known after it was looked for.
  const isUnknown = message.opt_keyword !== undefined && found.recipients.every((each) => each === user);
  const late =
    isUnknown && user !== undefined
      ? await numberOfUser(ctx, user, found.toldTo, modeOf(message.client_id))
      : undefined;
  if (late !== undefined) await follow(ctx, message, recipientsOfPerson(late), keyword?.word);
  return { message, outcome: creating.created ? 'received' : 'repeated' };
}

/** Carries out the later steps: the opt-out or opt-in, and the WhatsApp window. */
async function follow(
  ctx: InboundContext,
  message: Message,
  recipients: readonly string[],
  word: string | undefined,
): Promise<void> {
  const { client_id } = message;
  const at = new Date(message.created_at);
  if (message.opt_keyword !== undefined) await applyKeywordOf(ctx, message, recipients, word);
  if (message.channel === 'whatsapp' && !isUnassigned(message))
    for (const each of recipients) await openWindow(ctx, client_id, each, at);
}

async function applyKeywordOf(
  ctx: InboundContext,
  { client_id, created_at, opt_keyword, opt_senders = [], from = '' }: Message,
  recipients: readonly string[],
  word: string | undefined,
): Promise<void> {
  if (opt_keyword === undefined) return;
  await applyKeyword(ctx, {
    asksFor: opt_keyword,
    clients: isUnassigned({ client_id }) ? [] : [client_id],
    senders: modeOf(client_id) === 'test' ? [] : opt_senders,
    number: from,
    recipients,
    reason: `The recipient answered ${word ?? 'with an opt-out word'}`,
    at: new Date(created_at),
  });
}

/** Returns the id of an inbound message, derived from the carrier's id, so that a repeated notification has the same id. */
export function inboundIdOf({ channel, carrierMessageId }: { channel: Channel; carrierMessageId: string }) {
  return derivedId('msg', 'inbound', channel, carrierMessageId);
}

function rowOf(
  inbound: InboundMessage,
  { owner, recipient, senders }: Awaited<ReturnType<typeof findOwner>>,
  wish: 'opt_out' | 'opt_in' | undefined,
): Message {
  const at = inbound.receivedAt.toISOString();
  return {
    message_id: inboundIdOf(inbound),
    client_id: owner?.clientId ?? clientIdIn(inbound.mode ?? 'live', unassignedClientId),
    direction: 'inbound',
    channel: inbound.channel,
    status: 'received',
    recipient,
    from: inbound.number,
    type: 'transactional',
    country: countryOf(recipient),
    text: inbound.text,
    received_content: inbound.content,
    opt_keyword: wish,
    // A repeat finds the same senders, even if other clients write meanwhile.
    opt_senders: wish === undefined ? undefined : [...senders],
    in_reply_to: owner?.inReplyTo,
    carrier_message_id: inbound.carrierMessageId,
    created_at: at,
    received_at: at,
    expires_at: at,
  };
}

/** Notifies administrators of a message that belongs to no client. A repeat uses the same id. */
async function noteUnassigned(ctx: InboundContext, message: Message): Promise<void> {
  const at = new Date(message.created_at);
  await notify(ctx, 'inbound_unassigned', derivedIdAt('act', at, message.message_id), {
    at: message.created_at,
    summary: `An inbound message to ${message.from} belongs to no client, because no client wrote to its sender`,
    message_id: message.message_id,
  });
}
