/** Verifies a one-time password. A conditional write counts the attempt before its code is compared. */
import * as z from 'zod/mini';
import { type GatewayError, standardError } from '../contract/errors.ts';
import { between, digit, recipientSchema, withoutFullWidth } from '../contract/phone-number.ts';
import { faultAt, isGiven, optional } from '../operation/fields.ts';
import { type ApiResponse, type Operation, parseBody, requireCaller } from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { isId } from '../platform/ids.ts';
import { attemptsRemaining, type OneTimePassword } from './otp.ts';
import { isRightCode, type OtpSecrets } from './otp-code.secrets.ts';
import { codeLength, codeLengthText, defaultPurpose, purposeText } from './otp-request.ts';
import type { Verification } from './otp-response.schema.ts';
import { countOtpAttempt, giveBackOtpAttempt, latestOtp, markOtpVerified } from './otp-store.dynamo.ts';

const codePattern = new RegExp(`^${between}(${digit}${between}){${codeLength.min},${codeLength.max}}$`);
const codeCharactersMax = 64;

/**
 * The request body of `POST /api/v1/otp/verify`: an id, or a recipient and a purpose. Other fields next to an id must match
 * its password (contract 5.10).
 */
export const verifyOtpSchema = z
  .object({
    otp_id: optional(z.string()),
    to: optional(recipientSchema),
    purpose: optional(purposeText),
    code: z.string().check(
      z.maxLength(codeCharactersMax, { abort: true }),
      z.regex(codePattern, `must be ${codeLengthText}`),
      z.overwrite((text) => withoutFullWidth(text).replaceAll(/\D/g, '')),
    ),
  })
  .check(
    z.refine(
      (request) => isGiven(request.otp_id) || isGiven(request.to),
      faultAt(['otp_id'], 'Give either otp_id or to.'),
    ),
  );

export function verifyOtp(ctx: Context<'ONE_TIME_PASSWORDS_TABLE'>, secrets: OtpSecrets): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const { otp_id, to, purpose, code } = parseBody(verifyOtpSchema, request);
    const latest = { clientId, recipient: to ?? '', purpose: purpose ?? defaultPurpose };
    const otpId = otp_id ?? (await latestOtp(ctx, latest));
    if (otpId === undefined || !isId('otp', otpId)) throw standardError('not_found');
    // The secrets are read before the attempt is counted, so that a failed read does not use up the attempt.
    const cached = await secrets.all();
    const attempt = { otpId, clientId, recipient: to, purpose, workId: request.workId };
    const { counted, otp } = await countOtpAttempt(ctx, attempt, request.now);
    if (otp === undefined) throw standardError('not_found');
    if (!counted) throw refusal(otp, request.now);
    const isRight = (under: readonly string[]): boolean => isRightCode(under, otpId, otp.code_length, code);
    // The code may come from a secret that is newer than the cached ones.
    const latestSecrets = async (): Promise<readonly string[]> => {
      try {
        return await secrets.latest();
      } catch (error) {
        await giveBackOtpAttempt(ctx, attempt);
        throw error;
      }
    };
    if (!isRight(cached) && !isRight(await latestSecrets())) return wrong(otp);
    if (!(await markOtpVerified(ctx, attempt))) throw standardError('otp_already_used');
    const body: Verification = { otp_id: otpId, verified: true, status: 'verified' };
    return { status: 200, body, log: { otp_id: otpId, verified: true } };
  };
}

function wrong(otp: OneTimePassword): ApiResponse {
  const { otp_id } = otp;
  const body: Verification = {
    otp_id,
    verified: false,
    status: 'pending',
    attempts_remaining: attemptsRemaining(otp),
  };
  return { status: 200, body, log: { otp_id, verified: false } };
}

function refusal(otp: OneTimePassword, now: Date): GatewayError {
  if (otp.status === 'verified') return standardError('otp_already_used');
  const code = otp.expires_at <= now.toISOString() ? 'otp_expired' : 'otp_attempts_exhausted';
  return standardError(code);
}
