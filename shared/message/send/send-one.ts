/**
 * Sends one message of either channel. The request is checked, and one write stores the message; the relay does the rest.
 */
import type * as z from 'zod/mini';
import { assertChannelsOn, assertMaySend, permissionsOf } from '../../client/sending-permissions.ts';
import type { Channel } from '../../contract/channels.ts';
import type { sendRequest } from '../../contract/function-uses.ts';
import { countryOf } from '../../contract/phone-number.ts';
import { recipientTypeOf } from '../../contract/recipient-forms.ts';
import { capsInForce, checkCaps, takeFromCaps } from '../../limit/client-caps.ts';
import { describeUnknown, unknownIn } from '../../operation/fields.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import type { Context } from '../../platform/context.ts';
import type { EnvironmentFor } from '../../platform/env.ts';
import { newId } from '../../platform/ids.ts';
import { type SelectSender, sendersOf } from '../../sender/select-sender.ts';
import type { Message } from '../message.ts';
import type { acceptedSms, acceptedWhatsApp } from '../message-response.schema.ts';
import { ucs2Of } from '../smart-encoding.ts';
import { createMessage, readMessage } from '../store/messages.dynamo.ts';
import { dryRunOf, isDryRun, refusalsOf } from './dry-run.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import { assertMaySendLegs, channelsOf, parseSend, type WantedLeg } from './send-fields.ts';

/** The context of a send, which stores a message of its client, counts towards the client's caps and selects a sender. */
export type SendContext = Context<keyof EnvironmentFor<typeof sendRequest>>;

/** @param send - the differences between the channels */
export function sendOne<
  Request extends {
    readonly to: string;
    readonly from?: string | undefined;
    readonly scheduled_at?: Date | undefined;
    readonly smart_encoding?: boolean | undefined;
    readonly fallback?: readonly WantedLeg[] | undefined;
  },
>(
  context: SendContext,
  {
    channel,
    schema,
    newMessage,
  }: {
    readonly channel: Channel;
    readonly schema: z.ZodMiniType<Request>;
    readonly newMessage: (origin: MessageOrigin, request: Request, now: Date) => Message;
  },
): Operation {
  const messages = keyedMessages(context);
  return async (request) => {
    const { clientId, client } = requireCaller(request);
    const { now } = request;
    const key = idempotencyKeyOf(request.headers);
    const { data: wanted, assertTimely } = parseSend(schema, request);
    const [limits, senders] = await Promise.all([
      capsInForce(context, clientId),
      sendersOf(context, clientId),
    ]);
    const capped = { clientId, limits, now };
    const assertAllowed = (): void => {
      assertChannelsOn(context, channelsOf({ channel, fallback: wanted.fallback }));
      const permissions = permissionsOf(context, client, senders);
      assertMaySend(permissions, channel, wanted.to, wanted.from);
      assertMaySendLegs(permissions, wanted.fallback, { channel, recipient: wanted.to, from: wanted.from });
    };
    const { smart_encoding = client.smart_encoding } = wanted;
    const messageWithId = (messageId: string): Message =>
      newMessage({ messageId, clientId, select: senders.select, smart_encoding }, wanted, now);
    const keyed = {
      prefix: 'msg',
      endpoint: `${channel}/send`,
      clientId,
      key,
      canonicalRequest: () => wanted,
    } as const;
    if (isDryRun(request)) {
      assertTimely();
      const message = messageWithId(newId('msg', now));
      const checks = [assertAllowed, () => checkCaps(context, capped, [message])];
      const refusals = await refusalsOf(messages, keyed, checks);
      const unknownFields = describeUnknown(unknownIn(schema, request.body), 'field');
      return dryRunOf(context, message, { refusals, unknownFields });
    }
    const { entry, replayed } = await createOnce(messages, request, {
      ...keyed,
      looksFirst: limits.length > 0,
      build: async (messageId) => {
        assertTimely();
        assertAllowed();
        const message = messageWithId(messageId);
        await takeFromCaps(context, capped, [message]);
        return message;
      },
    });
    return accepted(acceptedView(entry), replayed, { message_id: entry.message_id });
  };
}

/** Returns the store of messages for Idempotency-Keys. */
export function keyedMessages(context: Context<'MESSAGES_TABLE' | 'RETENTION_DAYS'>) {
  return {
    create: (message: Message) => createMessage(context, message),
    get: (messageId: string) => readMessage(context, messageId),
  };
}

/**
 * Returns the response to a send. A repeat gets the same response, even if the message's state has changed. @throws Error
 * if an SMS has no segments.
 */
export function acceptedView(
  message: Message,
): z.output<typeof acceptedSms> | z.output<typeof acceptedWhatsApp> {
  const { message_id, recipient, text = '', encoding, segments, scheduled_at, created_at } = message;
  const status = scheduled_at === undefined ? 'queued' : 'scheduled';
  const rest = {
    reference: message.reference ?? null,
    scheduled_at,
    created_at,
  };
  if (message.channel === 'whatsapp') {
    const recipient_type = recipientTypeOf(recipient);
    return { message_id, status, channel: 'whatsapp', recipient, recipient_type, ...rest };
  }
  if (encoding === undefined || segments === undefined) throw new Error(`${message_id} has no segments`);
  const ucs2 = encoding === 'UCS-2' ? ucs2Of(text) : undefined;
  return { message_id, status, channel: 'sms', recipient, encoding, segments, ucs2, ...rest };
}

export interface MessageOrigin {
  readonly messageId: string;
  readonly clientId: string;
  readonly select: SelectSender;
  readonly smart_encoding: boolean | undefined;
}

/**
 * Returns the fields of every new message: client, recipient, sender, first state and end of the validity period. The state
 * is `scheduled` if the request has a time, and otherwise `queued`.
 */
export function newMessage(
  {
    messageId,
    clientId,
    channel,
    recipient,
    expiresAt,
    select,
    smart_encoding,
  }: MessageOrigin & { readonly channel: Channel; readonly recipient: string; readonly expiresAt: Date },
  request: {
    readonly from?: string | undefined;
    readonly reference?: string | undefined;
    readonly webhook_url?: string | undefined;
    readonly scheduled_at?: Date | undefined;
  },
  now: Date,
) {
  const createdAt = now.toISOString();
  const { from, reference, webhook_url, scheduled_at } = request;
  const country = countryOf(recipient);
  return {
    message_id: messageId,
    client_id: clientId,
    channel,
    recipient,
    country,
    from,
    reference,
    webhook_url,
    ...select({ channel, country, from }),
    smart_encoding: smart_encoding || undefined,
    created_at: createdAt,
    ...(scheduled_at === undefined
      ? ({ status: 'queued', queued_at: createdAt } as const)
      : ({ status: 'scheduled', scheduled_at: scheduled_at.toISOString() } as const)),
    expires_at: expiresAt.toISOString(),
  };
}
