/** Reads an entry of Meta's webhook, which Meta posts, or AWS publishes: statuses of our messages, and messages from people. */
import * as z from 'zod/mini';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { InboundMessage } from '../../message/received-content.ts';
import {
  type CarrierNotification,
  read,
  type UnreadableNotification,
  unreadable,
} from '../carrier-notification.ts';
import { inboundOfWhatsApp } from './inbound.ts';
import { receiptsOfStatus, whatsAppStatus } from './statuses.ts';

/** An entry with neither statuses nor messages is about the account, and is ignored. */
export const whatsAppWebhookEntry = z.object({
  changes: z.array(
    z.object({
      value: z.object({
        /** Our number, on which the messages arrived. */
        metadata: z.optional(
          z.object({ display_phone_number: z.optional(z.string()), phone_number_id: z.optional(z.string()) }),
        ),
        /** Each of these is read separately, so that one which cannot be read holds no other back. */
        statuses: z.optional(z.array(z.unknown())),
        messages: z.optional(z.array(z.unknown())),
      }),
    }),
  ),
});

interface EntrySource {
  /** ISO 8601: when Meta's call arrived. */
  readonly receivedAt: string;
  /** The id by which a send names our number as its sender, of the number with this id of Meta's. */
  readonly numberIdOf: (metaId: string | undefined) => string | undefined;
  /** What the hand-over returned for the message with this id of Meta's; undefined where the carrier does not say. */
  readonly carrierMessageIdOf: (metaId: string) => string | undefined;
}

export function readWebhookEntry(
  { changes }: z.output<typeof whatsAppWebhookEntry>,
  { receivedAt, numberIdOf, carrierMessageIdOf }: EntrySource,
): CarrierNotification {
  const receipts: Receipt[] = [];
  const inbound: InboundMessage[] = [];
  const faults: UnreadableNotification[] = [];
  for (const { value } of changes) {
    const { metadata, statuses = [], messages = [] } = value;
    const numberId = numberIdOf(metadata?.phone_number_id);
    for (const each of statuses) {
      try {
        const status = read(whatsAppStatus, each, 'a WhatsApp status');
        const carrierMessageId = carrierMessageIdOf(status.id);
        receipts.push(...receiptsOfStatus(status, { receivedAt, from: numberId, carrierMessageId }));
      } catch (cause) {
        faults.push(unreadable('a WhatsApp status', cause));
      }
    }
    const number = metadata?.display_phone_number ?? '';
    for (const message of messages) {
      try {
        const found = inboundOfWhatsApp(message, { number, numberId, receivedAt });
        if (found !== undefined) inbound.push(found);
      } catch (cause) {
        faults.push(unreadable('a WhatsApp message', cause));
      }
    }
  }
  return { receipts, inbound, unreadable: faults };
}
