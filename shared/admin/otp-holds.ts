/** An administrator's operations on held one-time passwords: who they are of, and allowing them again. */

import * as z from 'zod/mini';
import { recordActivity } from '../activity/activity-log.ts';
import { GatewayError } from '../contract/errors.ts';
import { modeOf } from '../contract/mode.ts';
import { allCountries, noCountry } from '../contract/otp-hold.ts';
import { opaqueCursor } from '../operation/list-query.ts';
import type { OtpHold } from '../otp/hold/otp-holds.dynamo.ts';
import { holdSummary } from '../otp/hold/review-traffic.ts';
import { countrySchema } from '../sender/phone-number.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { requireClient } from './find-client.ts';
import { pageSize, positionCursor } from './request-fields.ts';

export interface OtpHoldView extends Omit<OtpHold, 'state'> {
  /** The hold in one sentence for a person. */
  readonly summary: string;
}

export const otpHoldsQuery = z.object({ limit: pageSize, cursor: positionCursor });

interface OtpHoldList {
  readonly otp_holds: readonly OtpHoldView[];
  readonly next_cursor?: string;
}

/** The time of the hold, the client and the country. */
const holdCursor = opaqueCursor(/^\d{4}-\d\d-\d\dT[\d:.]+Z#.+#(..|\*)$/);
const positionOf = ({ held_at, client_id, country }: OtpHold): string => `${held_at}#${client_id}#${country}`;

/** The newest first. Each page reads the whole table, which has a row for each client and country that was ever held. */
export async function listOtpHolds(
  { otpHolds, mode }: Pick<AdminDependencies, 'otpHolds' | 'mode'>,
  { limit, cursor }: z.output<typeof otpHoldsQuery>,
): Promise<OtpHoldList> {
  const before = cursor === undefined ? undefined : holdCursor.decode(cursor);
  const held = (await otpHolds.listHeld())
    .filter(({ client_id }) => modeOf(client_id) === mode)
    .map((hold) => ({ hold, position: positionOf(hold) }))
    .filter(({ position }) => before === undefined || position < before)
    .toSorted((one, other) => (one.position < other.position ? 1 : -1));
  const shown = held.slice(0, limit);
  const last = held.length > limit ? shown.at(-1)?.position : undefined;
  return {
    otp_holds: shown.map(({ hold }) => viewOf(hold)),
    ...(last === undefined ? {} : { next_cursor: holdCursor.encode(last) }),
  };
}

/** The rows of one client. */
export async function otpHoldsOf(
  { otpHolds }: Pick<AdminDependencies, 'otpHolds'>,
  clientId: string,
): Promise<readonly OtpHoldView[]> {
  const states = await otpHolds.ofClient(clientId);
  return states.flatMap((state) => (state.state === 'held' ? [viewOf(state)] : []));
}

function viewOf({ state: _held, ...hold }: OtpHold): OtpHoldView {
  return { ...hold, summary: holdSummary({ ...hold, state: 'held' }) };
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
  if (code === noCountry || code === allCountries || countrySchema.safeParse(code).success) return code;
  throw new GatewayError('invalid_request', 'The country is not valid.', {
    details: [
      {
        field: 'country',
        message: `must be a two-letter country code, ${noCountry} for numbers of none, or ${allCountries} for a hold of all countries`,
      },
    ],
  });
}

function notHeld(name: string, country: string): GatewayError {
  return new GatewayError('not_found', `One-time passwords of ${name} to ${country} are not held.`);
}
