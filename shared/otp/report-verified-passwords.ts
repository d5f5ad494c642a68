/**
 * Tells the carrier that the SMS of verified one-time passwords were received. These reports help the carrier to find
 * senders and routes whose codes nobody enters. The reports are made from the stream of the passwords, so a verification
 * never waits for a report or fails because of it. If a batch fails or its worker dies, the stream repeats the batch. A
 * repeated report changes nothing. A failing batch delays later records, so a report is given up a quarter of an hour after
 * the verification.
 *
 * If a password was sent several times or fell back to another channel, several messages have the same code. It is unknown
 * which of them the recipient read, so each SMS is reported.
 */

import * as z from 'zod/mini';
import { modeOf } from '../contract/mode.ts';
import { recipientWindowSeconds } from '../contract/otp-abuse.ts';
import type { Message } from '../message/message.ts';
import { readMessage } from '../message/store/messages.dynamo.ts';
import { rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { otpSendsTo } from './otp-store.dynamo.ts';

/** A quarter of an hour. The carrier treats a message as not received after an hour. */
const triedForSeconds = 900;

/** @throws if a report may still succeed; the caller then passes all records again. */
export async function reportVerified(
  ctx: Context<'MESSAGES_TABLE' | 'ONE_TIME_PASSWORDS_TABLE'> & {
    readonly report: (
      carrierMessageId: string,
    ) => Promise<{ readonly reported: true } | { readonly reported: false; readonly reason: string }>;
  },
  verified: readonly ReturnType<typeof verifiedOtps>[number][],
) {
  const { report, clock } = ctx;
  const ended = await Promise.all(
    verified.map(async (otp) => {
      try {
        const carrierIds = await carrierIdsOf(ctx, otp);
        return { otp, results: await Promise.all(carrierIds.map((id) => report(id))) };
      } catch (error) {
        return { otp, results: [], error };
      }
    }),
  );
  const failed = ended.filter(({ error }) => error !== undefined);
  const triedSince = addSeconds(clock(), -triedForSeconds);
  const again = failed.find(({ otp }) => otp.verifiedAt > triedSince);
  if (again !== undefined) throw again.error;
  const results = ended.flatMap((end) => end.results);
  return {
    reported: results.filter(({ reported }) => reported).length,
    refused: results.flatMap((result) => (result.reported ? [] : [result.reason])),
    givenUp: failed.map(({ otp, error }) => ({ otpId: otp.otpId, error })),
  };
}

async function carrierIdsOf(
  ctx: Context<'MESSAGES_TABLE' | 'ONE_TIME_PASSWORDS_TABLE'>,
  { otpId, clientId, recipient, messageId, verifiedAt }: ReturnType<typeof verifiedOtps>[number],
): Promise<string[]> {
  const windows = [verifiedAt, addSeconds(verifiedAt, -recipientWindowSeconds)];
  const sent = await Promise.all(windows.map((at) => otpSendsTo(ctx, { clientId, recipient }, at)));
  const ids = new Set([messageId, ...sent.flat()]);
  const found = await Promise.all([...ids].map((id) => readMessage(ctx, id)));
  const ofOtp = found.filter((message) => message?.otp?.otp_id === otpId && message.channel === 'sms');
  const carrierIds = ofOtp.flatMap((message) => message?.carrier_message_id ?? []);
  // The recipient entered the code before the result of its hand-over was stored.
  if (carrierIds.length === 0 && ofOtp.some(isOnItsWay)) throw new Error(`${otpId} is not handed over yet`);
  return carrierIds;
}

function isOnItsWay(message: Message | undefined): boolean {
  return message?.status === 'queued' || message?.status === 'sending';
}

const verifiedRow = z.object({
  otp_id: z.string(),
  client_id: z.string(),
  recipient: z.string(),
  message_id: z.string(),
  status: z.literal('verified'),
  sms_sends: z.int(),
});

/** Returns the one-time passwords that these records of the stream show as just verified. */
export function verifiedOtps(records: readonly StreamRecord[]) {
  return records.flatMap(({ dynamodb }) => {
    const otp = rowIn(dynamodb?.NewImage) ?? {};
    const row = verifiedRow.safeParse(otp);
    if (!row.success || row.data.sms_sends === 0) return [];
    // Test data is not reported to any carrier.
    if (modeOf(row.data.client_id) === 'test') return [];
    const { otp_id, client_id, recipient, message_id } = row.data;
    const verifiedAt = new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000);
    return [{ otpId: otp_id, clientId: client_id, recipient, messageId: message_id, verifiedAt }];
  });
}
