/**
 * Sends a one-time password. A request writes in this order, so that a repeat with the same key after a crash finds the
 * earlier writes and continues: the client's caps, where it has any; the recipient's count (by message), the password, its
 * id as the latest for this recipient and purpose (by which a repeat finds it while it can be verified), and last the
 * message, which the relay sends.
 */

import { assertMaySend, permissionsOf } from '../client/permission.ts';
import { noCountry } from '../contract/otp-hold.ts';
import type { Message } from '../message/message.ts';
import { dryRunOf, isDryRun, refusalsOf } from '../message/send/dry-run.ts';
import { legsToStore } from '../message/send/fallback-fields.ts';
import { accepted, createOnce, idempotencyKeyOf } from '../message/send/idempotency.ts';
import { newMessage } from '../message/send/new-message.ts';
import { segment } from '../message/send/segments.ts';
import type { SendDependencies } from '../message/send/send-dependencies.ts';
import { withSampleCode } from '../message/send/template.ts';
import { type Operation, parseBody, requireCaller } from '../operation/operation.ts';
import { addSeconds } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { countryOf } from '../recipient/phone-number.ts';
import type { SelectSender } from '../sender/select-sender.ts';
import type { AssertNotHeld } from './hold/otp-hold.ts';
import { attemptsRemaining, codeLength, isPending, type OneTimePassword, ttlSeconds } from './otp.ts';
import { type SendOtpRequest, sendOtpSchema } from './otp-request.ts';
import type { SentOneTimePassword } from './otp-response.schema.ts';
import type { OtpStore, PendingOtpKey } from './otp-store.ts';
import { otpTemplate, otpText } from './otp-text.ts';
import { checkRecipientSends, countRecipientSend } from './recipient-limit.ts';

interface SendOtpDependencies extends SendDependencies {
  readonly otps: OtpStore;
  /** Refuses passwords by SMS to a country where few of the client's are verified. */
  readonly assertNotHeld?: AssertNotHeld | undefined;
}

interface OtpSend {
  readonly key: PendingOtpKey;
  readonly wanted: SendOtpRequest;
  readonly select: SelectSender;
  readonly now: Date;
}

export function sendOtp(dependencies: SendOtpDependencies): Operation {
  const schema = sendOtpSchema(dependencies.webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const wanted = parseBody(schema, request);
    const [allowance, select] = await Promise.all([
      dependencies.allowanceOf(caller.clientId, request),
      dependencies.sendersOf(caller.clientId),
    ]);
    const send: OtpSend = {
      key: { clientId: caller.clientId, recipient: wanted.to, purpose: wanted.purpose },
      wanted,
      select,
      now: request.now,
    };
    const assertAllowed = (): void =>
      assertMaySend(permissionsOf(caller.client, dependencies.stageCountries), 'otp', wanted.to);
    // WhatsApp is left to people whose passwords by SMS are held.
    const assertNotHeld = async (): Promise<void> => {
      if (wanted.channel === 'sms')
        await dependencies.assertNotHeld?.(caller.clientId, countryOf(wanted.to) ?? noCountry);
    };
    const keyed = {
      prefix: 'msg',
      endpoint: 'otp/send',
      clientId: caller.clientId,
      key,
      meaning: () => wanted,
    } as const;
    if (isDryRun(request)) {
      const id = newId('msg', request.now);
      const otp = newOtp(send, id);
      const refusals = await refusalsOf(dependencies.messages, request, keyed, [
        assertAllowed,
        assertNotHeld,
        () => allowance?.check([longestMessage(send, id)]),
        () => checkRecipientSends(dependencies.otps, send.key, request.now),
      ]);
      const textOf = (stored: string): string =>
        withSampleCode(otpText(stored, new Date(otp.expires_at), request.now), otp);
      return dryRunOf(otpMessage(send, id, otp), dependencies, refusals, textOf);
    }
    const { entry, replayed } = await createOnce(dependencies.messages, request, {
      ...keyed,
      allowance,
      build: async (messageId) => {
        assertAllowed();
        await assertNotHeld();
        await allowance?.take([longestMessage(send, messageId)]);
        await countRecipientSend(dependencies.otps, send.key, messageId, request.now);
        const otp = await pendingOrNew(dependencies.otps, send, messageId);
        return otpMessage(send, messageId, otp);
      },
      buildHasEffects: true,
    });
    return accepted(otpView(entry), replayed, { message_id: entry.message_id, otp_id: entry.otp?.otp_id });
  };
}

/** The latest password while it can be verified; else a new one, which one of several concurrent requests creates. */
async function pendingOrNew(otps: OtpStore, send: OtpSend, messageId: string): Promise<OneTimePassword> {
  const { key, now } = send;
  for (;;) {
    const seen = await otps.latest(key);
    const latest = seen === undefined ? undefined : await otps.get(seen);
    if (latest !== undefined && isPending(latest, now)) return latest;
    const otp = newOtp(send, messageId);
    await otps.create(otp);
    if (await otps.setLatest(key, seen, otp.otp_id, now)) return otp;
  }
}

function newOtp({ key, wanted, now }: OtpSend, messageId: string): OneTimePassword {
  return {
    otp_id: newId('otp', now),
    client_id: key.clientId,
    recipient: key.recipient,
    country: countryOf(key.recipient) ?? noCountry,
    message_id: messageId,
    channel: wanted.channel,
    ...(wanted.fallback?.some(({ channel }) => channel === 'sms') ? { falls_back_to_sms: true } : {}),
    purpose: key.purpose,
    code_length: wanted.code_length,
    max_attempts: wanted.max_attempts,
    attempts: 0,
    status: 'pending',
    created_at: now.toISOString(),
    expires_at: addSeconds(now, wanted.ttl).toISOString(),
  };
}

/** Before the password is known, which may be one that is pending: with the longest values that its text can have. */
function longestMessage(send: OtpSend, messageId: string): Message {
  const longest = { ...send.wanted, ttl: ttlSeconds.max, code_length: codeLength.max };
  return otpMessage(send, messageId, newOtp({ ...send, wanted: longest }, messageId));
}

function otpMessage({ wanted, select, now }: OtpSend, messageId: string, otp: OneTimePassword): Message {
  const template = otpTemplate(wanted);
  const text = otpText(template, new Date(otp.expires_at), now);
  // An expired password need not arrive.
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
      },
      wanted,
      now,
    ),
    type: 'transactional',
    text,
    ...(wanted.channel === 'sms' ? segment(withSampleCode(text, otp)) : { whatsapp: { type: 'text' } }),
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

function otpView(message: Message): SentOneTimePassword {
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
