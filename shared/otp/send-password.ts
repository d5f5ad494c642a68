/**
 * Sends a one-time password. Order: checks that change nothing, then the client's caps, then one transaction with the
 * message (which the relay sends), the count of its recipient, and the password. If no password is pending for the
 * recipient and purpose, a new one is created. Otherwise the transaction counts the SMS for the pending password. A request
 * stores nothing if a later limit refuses it, or if it loses against another request with the same key. Its amount still
 * stays in the caps.
 *
 * - caps ─ crash → the amount counts until the window of the caps ends
 * - message, count of the recipient, password ─ crash → all are stored; a repeat with the same key finds the message
 */
import type * as z from 'zod/mini';
import { assertChannelsOn, assertMaySend, permissionsOf } from '../client/sending-permissions.ts';
import { GatewayError } from '../contract/errors.ts';
import type { functionUses } from '../contract/function-uses.ts';
import { countryOf } from '../contract/phone-number.ts';
import { noCountry } from '../contract/recipient-forms.ts';
import { capsInForce, checkCaps, takeFromCaps } from '../limit/client-caps.ts';
import type { Message } from '../message/message.ts';
import { withSampleCode } from '../message/message-text.ts';
import { dryRunOf, isDryRun, refusalsOf } from '../message/send/dry-run.ts';
import { accepted, createOnce, idempotencyKeyOf } from '../message/send/idempotency.ts';
import { channelsOf, legsToStore } from '../message/send/send-fields.ts';
import { keyedMessages, newMessage } from '../message/send/send-one.ts';
import { smsContent } from '../message/smart-encoding.ts';
import { describeUnknown, unknownIn } from '../operation/fields.ts';
import { type Operation, parseBody, requireCaller } from '../operation/operation.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { newId } from '../platform/ids.ts';
import { retryConflicts } from '../platform/retry.ts';
import { type SelectSender, sendersOf } from '../sender/select-sender.ts';
import { attemptsRemaining, isPending, type OneTimePassword, otpTemplate, otpText } from './otp.ts';
import { assertNotHeld } from './otp-holds.dynamo.ts';
import { codeLength, type SendOtpRequest, sendOtpSchema, ttlSeconds } from './otp-request.ts';
import type { sentOneTimePassword } from './otp-response.schema.ts';
import {
  hasRoom,
  latestOtp,
  type OtpSend,
  type PendingOtpKey,
  readOtp,
  storeOtpSend,
  tooManySends,
} from './otp-store.dynamo.ts';

interface WantedSend {
  readonly key: PendingOtpKey;
  readonly wanted: SendOtpRequest;
  readonly select: SelectSender;
  readonly smart_encoding: boolean | undefined;
  readonly now: Date;
}

type OtpSendContext = Context<keyof EnvironmentFor<(typeof functionUses)['send-otp']>>;

/** @param webhookUrl - accepts URLs that this deployment may call */
export function sendOtp(context: OtpSendContext, webhookUrl: z.ZodMiniType<string>): Operation {
  const schema = sendOtpSchema(webhookUrl);
  const { get } = keyedMessages(context);
  return async (request) => {
    const caller = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const wanted = parseBody(schema, request);
    const { clientId } = caller;
    const [limits, senders] = await Promise.all([
      capsInForce(context, clientId),
      sendersOf(context, clientId),
    ]);
    const capped = { clientId, limits, now: request.now };
    const send: WantedSend = {
      key: { clientId: caller.clientId, recipient: wanted.to, purpose: wanted.purpose },
      wanted,
      select: senders.select,
      smart_encoding: wanted.smart_encoding ?? caller.client.smart_encoding,
      now: request.now,
    };
    const assertAllowed = (): void => {
      assertChannelsOn(context, channelsOf(wanted));
      assertMaySend(permissionsOf(context, caller.client, senders), 'otp', wanted.to);
    };
    // WhatsApp is not affected by a hold, so recipients can still get passwords there.
    const assertFree = async (): Promise<void> => {
      if (wanted.channel === 'sms') await assertNotHeld(context, clientId, countryOf(wanted.to) ?? noCountry);
    };
    const keyed = {
      prefix: 'msg',
      endpoint: 'otp/send',
      clientId: caller.clientId,
      key,
      canonicalRequest: () => wanted,
    } as const;
    if (isDryRun(request)) {
      const id = newId('msg', request.now);
      const otp = newOtp(send, id);
      const refusals = await refusalsOf({ get }, keyed, [
        assertAllowed,
        assertFree,
        () => checkCaps(context, capped, [longestMessage(send, id)]),
        () => assertRoom(context, send, id),
      ]);
      const unknownFields = describeUnknown(unknownIn(schema, request.body), 'field');
      const textOf = (stored: string): string =>
        withSampleCode(otpText(stored, new Date(otp.expires_at), request.now), otp);
      return dryRunOf(context, otpMessage(send, id, otp), { refusals, unknownFields }, textOf);
    }
    let planned: OtpSend | undefined;
    const plan = async (messageId: string): Promise<OtpSend> => {
      planned = await planSend(context, send, messageId);
      return planned;
    };
    /** Stores the message with the planned password, or with another one if that password is no longer the latest. */
    const create = (message: Message) =>
      retryConflicts(
        async () => {
          const { message_id } = message;
          const writes = planned ?? (await plan(message_id));
          planned = undefined;
          const stored = { ...message, ...otpMessage(send, message_id, writes.otp) };
          const result = await storeOtpSend(context, stored, writes, request.now);
          if (result === 'full') throw tooManySends(request.now);
          if (result === 'changed') return false;
          return result.created ? { ...result, stored } : result;
        },
        { refusal: tooManyAtOnce },
      );
    const { entry, replayed } = await createOnce({ get, create }, request, {
      ...keyed,
      looksFirst: true,
      build: async (messageId) => {
        assertAllowed();
        await assertFree();
        const { otp } = await plan(messageId);
        await takeFromCaps(context, capped, [longestMessage(send, messageId)]);
        return otpMessage(send, messageId, otp);
      },
    });
    return accepted(otpView(entry), replayed, { message_id: entry.message_id, otp_id: entry.otp?.otp_id });
  };
}

/**
 * Returns the latest password if it can still be verified, otherwise a new one. Does not write.
 *
 * @throws GatewayError `rate_limit_exceeded` if the window of the recipient is full.
 */
async function planSend(context: OtpSendContext, send: WantedSend, messageId: string): Promise<OtpSend> {
  const { key, now } = send;
  const [, latest] = await Promise.all([assertRoom(context, send, messageId), latestOtp(context, key)]);
  const pending = latest === undefined ? undefined : await readOtp(context, latest);
  if (pending !== undefined && isPending(pending, now)) return { key, otp: pending };
  return { key, otp: newOtp(send, messageId), replaces: { latest } };
}

/** @throws GatewayError `rate_limit_exceeded` if the window of the recipient is full. */
async function assertRoom(
  context: OtpSendContext,
  { key, now }: WantedSend,
  messageId: string,
): Promise<void> {
  if (!(await hasRoom(context, key, messageId, now))) throw tooManySends(now);
}

const tooManyAtOnce = () =>
  new GatewayError(
    'service_unavailable',
    'Too many simultaneous requests for this recipient. Try again soon.',
  );

function newOtp({ key, wanted, now }: WantedSend, messageId: string): OneTimePassword {
  return {
    otp_id: newId('otp', now),
    client_id: key.clientId,
    recipient: key.recipient,
    country: countryOf(key.recipient) ?? noCountry,
    message_id: messageId,
    channel: wanted.channel,
    sms_sends: wanted.channel === 'sms' ? 1 : 0,
    purpose: key.purpose,
    code_length: wanted.code_length,
    max_attempts: wanted.max_attempts,
    attempts: 0,
    status: 'pending',
    created_at: now.toISOString(),
    expires_at: addSeconds(now, wanted.ttl).toISOString(),
  };
}

/**
 * Returns the message with the longest possible values in its text. The check runs before the password is known, because a
 * pending password may be used.
 */
function longestMessage(send: WantedSend, messageId: string): Message {
  const longest = { ...send.wanted, ttl: ttlSeconds.max, code_length: codeLength.max };
  return otpMessage(send, messageId, newOtp({ ...send, wanted: longest }, messageId));
}

function otpMessage(
  { wanted, select, smart_encoding, now }: WantedSend,
  messageId: string,
  otp: OneTimePassword,
): Message {
  const template = otpTemplate(wanted);
  const text = otpText(template, new Date(otp.expires_at), now);
  // The message need not arrive after its password has expired.
  const expiresAt = new Date(otp.expires_at);
  const message: Message = {
    ...newMessage(
      {
        messageId,
        clientId: otp.client_id,
        channel: wanted.channel,
        recipient: otp.recipient,
        expiresAt,
        select,
        smart_encoding,
      },
      wanted,
      now,
    ),
    type: 'transactional',
    ...(wanted.channel === 'sms'
      ? smsContent(text, smart_encoding, otp)
      : { text, whatsapp: { type: 'text' } }),
    otp: {
      otp_id: otp.otp_id,
      code_length: otp.code_length,
      expires_at: otp.expires_at,
      attempts_remaining: attemptsRemaining(otp),
    },
  };
  const legs = wanted.fallback?.map((leg) => ({ ...leg, message: template }));
  return { ...message, ...legsToStore(legs, message, select) };
}

function otpView(message: Message): z.output<typeof sentOneTimePassword> {
  const { message_id, channel, recipient, otp } = message;
  if (otp === undefined) throw new Error(`${message_id} carries no one-time password`);
  return {
    otp_id: otp.otp_id,
    message_id,
    status: 'pending',
    channel,
    recipient,
    reference: message.reference ?? null,
    expires_at: otp.expires_at,
    attempts_remaining: otp.attempts_remaining,
  };
}
