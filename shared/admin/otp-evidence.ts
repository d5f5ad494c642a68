/** What an administrator looks at before held one-time passwords are allowed: to which numbers they went, and how many were verified. */
import { GatewayError } from '../contract/errors.ts';
import { allCountries } from '../contract/otp-hold.ts';
import type { Message } from '../message/message.ts';
import { chunksOf } from '../platform/long-lists.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { type OtpHoldView, otpHoldsOf } from './otp-holds.ts';

interface OtpCount {
  readonly passwords: number;
  readonly verified: number;
}

export interface OtpEvidence {
  readonly hold: OtpHoldView;
  /** The newest SMS with passwords since the judged time began: how many were read, and whether there are more. */
  readonly messages: number;
  readonly more: boolean;
  /** Those with the most passwords first, as in `by_prefix`. */
  readonly by_country: readonly (OtpCount & { readonly country: string })[];
  /** Numbers that share all but their last five digits: a program often takes them from one range. */
  readonly by_prefix: readonly (OtpCount & { readonly prefix: string })[];
}

const messagesMax = 200;
const prefixesMax = 10;
const digitsLeftOut = 5;
/** Below the connections of the AWS client. */
const readAtOnce = 40;

/** @throws GatewayError `not_found` where nothing is held */
export async function showOtpEvidence(
  dependencies: Pick<AdminDependencies, 'otpHolds' | 'messages' | 'otps'>,
  clientId: string,
  country: string,
): Promise<OtpEvidence> {
  const hold = (await otpHoldsOf(dependencies, clientId)).find((one) => one.country === country);
  if (hold === undefined) {
    throw new GatewayError('not_found', `One-time passwords of ${clientId} to ${country} are not held.`);
  }
  const { messages, nextCursor } = await dependencies.messages.search(
    { clientId },
    {
      limit: messagesMax,
      since: hold.since,
      direction: 'outbound',
      condition: { channel: 'sms', country: country === allCountries ? undefined : country },
    },
  );
  const passwords = messages.flatMap((message) =>
    message.otp === undefined ? [] : [{ message, otpId: message.otp.otp_id }],
  );
  const verifiedIds = new Set<string>();
  for (const some of chunksOf(passwords, readAtOnce)) {
    const rows = await Promise.all(some.map(({ otpId }) => dependencies.otps.get(otpId)));
    for (const row of rows) if (row?.status === 'verified') verifiedIds.add(row.otp_id);
  }
  const countBy = (keyOf: (message: Message) => string) =>
    [...Map.groupBy(passwords, ({ message }) => keyOf(message))]
      .map(([key, group]) => ({
        key,
        passwords: group.length,
        verified: group.filter(({ otpId }) => verifiedIds.has(otpId)).length,
      }))
      .toSorted((one, other) => other.passwords - one.passwords);
  return {
    hold,
    messages: passwords.length,
    more: nextCursor !== undefined,
    by_country: countBy((message) => message.country ?? '–').map(({ key, ...count }) => ({
      country: key,
      ...count,
    })),
    by_prefix: countBy(({ recipient }) => recipient.slice(0, -digitsLeftOut))
      .slice(0, prefixesMax)
      .map(({ key, ...count }) => ({ prefix: key, ...count })),
  };
}
