/** An administrator's operations on held one-time passwords: lists the holds, and allows sending again. */

import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import { GatewayError, standardError } from '../contract/errors.ts';
import { modeOf } from '../contract/mode.ts';
import { countrySchema } from '../contract/phone-number.ts';
import { allCountries } from '../contract/rate-limits-and-caps.ts';
import { noCountry } from '../contract/recipient-forms.ts';
import { opaqueCursor } from '../operation/list-query.ts';
import {
  findOtpHold,
  heldOtps,
  type OtpHold,
  otpHoldStatesOf,
  replaceOtpHold,
} from '../otp/otp-holds.dynamo.ts';
import { findingSummary } from '../otp/review-traffic.ts';
import type { AdminContext } from './admin-context.ts';
import { requireClient } from './find-client.ts';
import { cursor, pageSize } from './request-fields.ts';

export const otpHoldsQuery = z.object({ limit: pageSize, cursor });

/** The time of the hold, the client and the country. */
const holdCursor = opaqueCursor(/^\d{4}-\d\d-\d\dT[\d:.]+Z#.+#(..|\*)$/);
const positionOf = ({ changed_at, client_id, country }: OtpHold): string =>
  `${changed_at}#${client_id}#${country}`;

/**
 * Lists the holds, newest first. Each page reads the whole table. The table contains a row for each client and country that
 * was ever held.
 */
export async function listOtpHolds(ctx: AdminContext, { limit, cursor }: z.output<typeof otpHoldsQuery>) {
  const before = holdCursor.decode(cursor);
  const held = (await heldOtps(ctx))
    .filter(({ client_id }) => modeOf(client_id) === ctx.mode)
    .map((hold) => ({ hold, position: positionOf(hold) }))
    .filter(({ position }) => before === undefined || position < before)
    .toSorted((one, other) => (one.position < other.position ? 1 : -1));
  const shown = held.slice(0, limit);
  const last = held.length > limit ? shown.at(-1)?.position : undefined;
  return {
    otp_holds: shown.map(({ hold }) => viewOf(hold)),
    ...holdCursor.next(last),
  };
}

export async function otpHoldsOf(ctx: AdminContext, clientId: string) {
  const states = await otpHoldStatesOf(ctx, clientId);
  return states.flatMap((state) => (state.state === 'held' ? [viewOf(state)] : []));
}

function viewOf(hold: OtpHold) {
  const { state: _held, changed_at: held_at, ...judged } = hold;
  return { ...judged, held_at, summary: findingSummary(hold) };
}

export const allowOtpsBody = z.object({ always: z._default(z.boolean(), false) });

/**
 * Allows one-time passwords of the client to the country, even while passwords to all countries are held. Only passwords
 * that are sent later are judged.
 *
 * @throws GatewayError `concurrent_change` if the gateway or another administrator changed the hold in the meantime
 */
export async function allowOtps(
  ctx: AdminContext,
  actor: string,
  {
    clientId,
    country,
    always,
  }: {
    readonly clientId: string;
    readonly country: string;
    /** True if the passwords are never held again. */
    readonly always: boolean;
  },
) {
  const client = await requireClient(ctx, clientId);
  const code = countryCode(country);
  const before = await findOtpHold(ctx, clientId, code);
  const allowedAt = ctx.clock().toISOString();
  await recordActivity(ctx, actor, {
    kind: 'otp_allowed',
    summary: `${actor} allowed one-time passwords of ${client.name} to ${code}${always ? ' permanently' : ''}`,
    clientId,
    before: before === undefined ? {} : { ...before },
    after: { country: code, state: 'allowed', always },
  });
  const allowance = {
    client_id: clientId,
    country: code,
    state: 'allowed',
    changed_at: allowedAt,
    allowed_by: actor,
    always,
  } as const;
  if (!(await replaceOtpHold(ctx, before, allowance))) throw standardError('concurrent_change');
  return { client_id: clientId, country: code, allowed_at: allowedAt, always };
}

/**
 * @throws GatewayError if the text is neither a country, nor the code for numbers without a country, nor the code for
 * all
 */
function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (code === noCountry || code === allCountries || countrySchema.safeParse(code).success) return code;
  throw new GatewayError('invalid_request', 'The country is not valid.', {
    details: [
      {
        field: 'country',
        message: `must be a two-letter country code, ${noCountry} for numbers of none, or ${allCountries} for all countries`,
      },
    ],
  });
}
