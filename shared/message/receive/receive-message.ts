/**
 * Stores a message that a person sent to us and does what it asks for. Its row is written first, under an id that
 * follows from the carrier's, so that the owner is found once; every later step follows from the row and may be repeated.
 *
 *   row ─ crash → the queue delivers the notification again: the row is found, and the steps after it are done
 *   suppression, window ─ crash → the same; each is a conditional write that a repeat does not change
 *   The webhooks (`sms.received`, `recipient.opted_out`) follow from the row by the table's stream.
 */
import type { ActivityLog } from '../../activity/activity-log.ts';
import { onlyWordOf, wishIn } from '../../contract/opt-out-words.ts';
import { derivedId, derivedIdAt } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { countryOf } from '../../recipient/phone-number.ts';
import type { OwnerOfNumber } from '../../sender/number-owners.ts';
import type { Message } from '../message.ts';
import type { MessageStore } from '../store/message-store.ts';
import type { SuppressionStore } from '../suppression/suppression-store.ts';
import { type Conversations, findOwner, nobody, type Owner } from './find-owner.ts';
import type { InboundMessage } from './inbound-message.ts';
import type { WhatsAppWindows } from './whatsapp-window.ts';

export interface ReceiveDependencies {
  readonly messages: Pick<MessageStore, 'create'>;
  readonly suppressions: Pick<SuppressionStore, 'change'>;
  readonly conversations: Conversations;
  readonly ownerOfNumber: OwnerOfNumber;
  readonly windows: Pick<WhatsAppWindows, 'open'>;
  /** Those that the stage adds. */
  readonly optOutWords: readonly string[];
  readonly activityLog: ActivityLog;
}

interface ReceivedMessage {
  readonly message: Message;
  readonly outcome: 'received' | 'repeated';
}

export async function receiveMessage(
  dependencies: ReceiveDependencies,
  inbound: InboundMessage,
): Promise<ReceivedMessage> {
  const owner = await findOwner(dependencies, inbound);
  const row = rowOf(inbound, owner, wishIn(inbound.text ?? '', dependencies.optOutWords));
  const creating = await dependencies.messages.create(row);
  const message = creating.created ? row : creating.existing;
  if (message.client_id === nobody) await noteUnassigned(dependencies.activityLog, message);
  else await follow(dependencies, message);
  return { message, outcome: creating.created ? 'received' : 'repeated' };
}

async function follow(dependencies: ReceiveDependencies, message: Message): Promise<void> {
  const { client_id, recipient, message_id, opt_keyword } = message;
  const at = new Date(message.created_at);
  if (opt_keyword !== undefined) {
    const isOptOut = opt_keyword === 'opt_out';
    await dependencies.suppressions.change({
      client_id,
      recipient,
      scope: isOptOut ? 'messages' : undefined,
      reason: isOptOut ? `The recipient answered ${onlyWordOf(message.text ?? '')}` : undefined,
      source: 'keyword',
      at,
      cause: message_id,
    });
  }
  if (message.channel === 'whatsapp') await dependencies.windows.open(client_id, recipient, at);
}

/** Follows from the carrier's id, so that a repeated notification is the same message. */
export function inboundIdOf({
  channel,
  carrierMessageId,
}: Pick<InboundMessage, 'channel' | 'carrierMessageId'>): string {
  return derivedId('msg', 'inbound', channel, carrierMessageId);
}

function rowOf(
  inbound: InboundMessage,
  owner: Owner | undefined,
  wish: Message['opt_keyword'] | undefined,
): Message {
  const at = inbound.receivedAt.toISOString();
  return {
    message_id: inboundIdOf(inbound),
    client_id: owner?.clientId ?? nobody,
    direction: 'inbound',
    channel: inbound.channel,
    status: 'received',
    recipient: inbound.person,
    from: inbound.number,
    type: 'transactional',
    ...withoutUndefined({
      country: countryOf(inbound.person),
      text: inbound.text,
      received_content: inbound.content,
      opt_keyword: wish,
      in_reply_to: owner?.inReplyTo,
    }),
    carrier_message_id: inbound.carrierMessageId,
    created_at: at,
    received_at: at,
    expires_at: at,
  };
}

/** With the same id at each repeat. */
async function noteUnassigned(activityLog: ActivityLog, message: Message): Promise<void> {
  const at = new Date(message.created_at);
  await activityLog.add({
    entry_id: derivedIdAt('act', at, message.message_id),
    kind: 'inbound_unassigned',
    at: message.created_at,
    summary: `An inbound message to ${message.from} belongs to no client: none of them wrote to its sender`,
    message_id: message.message_id,
  });
}
