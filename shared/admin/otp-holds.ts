/** An administrator's operations on held one-time passwords: who they are of, and allowing them again. */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/record-activity.ts';
import { GatewayError } from '../contract/errors.ts';
import { noCountry } from '../contract/otp-hold.ts';
import type { OtpHold } from '../otp/hold/otp-hold.ts';
import { holdSummary } from '../otp/hold/review-traffic.ts';
import { countrySchema } from '../recipient/phone-number.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { requireClient } from './find-client.ts';

export interface OtpHoldView extends Omit<OtpHold, 'state'> {
  /** One sentence for a person. */
  readonly summary: string;
}

/** The newest first. */
export async function listOtpHolds({
  otpHolds,
}: Pick<AdminDependencies, 'otpHolds'>): Promise<readonly OtpHoldView[]> {
  return (await otpHolds.listHeld()).map(({ state: _held, ...hold }) => ({
    ...hold,
    summary: holdSummary({ ...hold, state: 'held' }),
  }));
}

/** Whether one-time passwords are never held again. */
export const allowOtpsBody = z.object({ always: z._default(z.boolean(), false) });

interface WantedOtps {
  readonly clientId: string;
  readonly country: string;
  /** Whether they are never held again; also before they were held. */
  readonly always: boolean;
}

interface AllowedOtps {
  readonly client_id: string;
  readonly country: string;
  readonly allowed_at: string;
  readonly always: boolean;
}

/** Lets one-time passwords of the client go to the country again; only later ones are judged. */
export async function allowOtps(
  dependencies: AdminDependencies,
  actor: string,
  { clientId, country, always }: WantedOtps,
): Promise<AllowedOtps> {
  const client = await requireClient(dependencies, clientId);
  const code = countryCode(country);
  const before = await dependencies.otpHolds.find(clientId, code);
  if (before?.state !== 'held' && !always) {
    // A second click, or the end of an exemption.
    if (before === undefined) throw notHeld(client.name, code);
    if (!before.always) return { client_id: clientId, country: code, allowed_at: before.allowed_at, always };
  }
  const allowedAt = dependencies.clock().toISOString();
  await recordActivity(dependencies, actor, {
    kind: 'otp_allowed',
    summary: `${actor} allowed one-time passwords of ${client.name} to ${code}${always ? ' for good' : ''}`,
    clientId,
    before: before === undefined ? {} : { ...before },
    after: { country: code, state: 'allowed', always },
  });
  await dependencies.otpHolds.allow({
    client_id: clientId,
    country: code,
    state: 'allowed',
    allowed_at: allowedAt,
    allowed_by: actor,
    always,
  });
  return { client_id: clientId, country: code, allowed_at: allowedAt, always };
}

/** @throws GatewayError where it is neither a country nor the code of numbers without one */
function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (code === noCountry || countrySchema.safeParse(code).success) return code;
  throw new GatewayError('invalid_request', 'The country is not valid.', {
    details: [
      {
        field: 'country',
        message: `must be a two-letter country code, or ${noCountry} for numbers of none`,
      },
    ],
  });
}

function notHeld(name: string, country: string): GatewayError {
  return new GatewayError('not_found', `One-time passwords of ${name} to ${country} are not held.`);
}
