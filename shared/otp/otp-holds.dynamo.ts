/**
 * The table `otp-holds`: for each client, the decisions to hold or allow one-time passwords by SMS, made by the gateway or
 * an administrator.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { GatewayError, otpHeldText } from '../contract/errors.ts';
import { allCountries } from '../contract/rate-limits-and-caps.ts';
import { noCountry } from '../contract/recipient-forms.ts';
import { updateIf } from '../platform/aws/conditional-write.dynamo.ts';
import { readableRows, readRow, scanRows } from '../platform/aws/read-rows.dynamo.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { cachedRead } from '../platform/expiring-cache.ts';

const instant = z.iso.datetime();

const ofEach = {
  client_id: z.string(),
  /** The country as ISO 3166-1 alpha-2, or `ZZ` if it is unknown; `*` for all countries. */
  country: z.string(),
  changed_at: instant,
};

/** The reviewed passwords: since when, how many were sent, and how many were verified. */
const judged = { since: instant, sends: z.number(), verified: z.number() };

const otpHoldRow = z.discriminatedUnion('state', [
  z.object({ ...ofEach, state: z.literal('held'), ...judged }),
  /** None of the client's passwords was verified in 30 days, so they are not held. */
  z.object({ ...ofEach, state: z.literal('noticed'), ...judged }),
  z.object({
    ...ofEach,
    state: z.literal('allowed'),
    allowed_by: z.string(),
    /**
     * True if the passwords are never held again, until an administrator allows them without `always`. If false, passwords
     * that are created later are reviewed.
     */
    always: z.boolean(),
  }),
]);

/** A change of the state removes these values if the new state does not have them. */
const ofOneState = {
  since: undefined,
  sends: undefined,
  verified: undefined,
  allowed_by: undefined,
  always: undefined,
};

export type OtpHoldState = z.output<typeof otpHoldRow>;
export type OtpHold = Extract<OtpHoldState, { readonly state: 'held' }>;
export type OtpFinding = Exclude<OtpHoldState, { readonly state: 'allowed' }>;

/** A change of a state takes effect within this many seconds. A read takes half a read unit. */
export const rememberedSeconds = 20;
const rememberedClients = 2000;

const cachedStates = oncePerContext((ctx: Context<'OTP_HOLDS_TABLE'>) =>
  cachedRead(
    (clientId) => otpHoldStatesOf(ctx, clientId),
    { maxAgeSeconds: rememberedSeconds, maxEntries: rememberedClients },
    ctx.clock,
  ),
);

/** @throws GatewayError `otp_held` if the client's one-time passwords by SMS to this country are held */
export async function assertNotHeld(
  ctx: Context<'OTP_HOLDS_TABLE'>,
  clientId: string,
  country: string,
): Promise<void> {
  const states = (await cachedStates(ctx)(clientId)) ?? [];
  if (isHeld(states, country)) {
    throw new GatewayError('otp_held', otpHeldText(country === noCountry ? undefined : country));
  }
}

/** True if the state is `held`. A state for the country overrides a state for all countries. */
function isHeld(states: readonly OtpHoldState[], country: string): boolean {
  const stateOf = (of: string) => states.find((state) => state.country === of);
  return (stateOf(country) ?? stateOf(allCountries))?.state === 'held';
}

export function findOtpHold(
  { db, env }: Context<'OTP_HOLDS_TABLE'>,
  clientId: string,
  country: string,
): Promise<OtpHoldState | undefined> {
  const Key = { client_id: clientId, country };
  return readRow(db, otpHoldRow, { TableName: env.OTP_HOLDS_TABLE, Key, ConsistentRead: true });
}

/** Returns the states of all countries of a client. They may be a second old. */
export async function otpHoldStatesOf(
  { db, env }: Context<'OTP_HOLDS_TABLE'>,
  clientId: string,
): Promise<readonly OtpHoldState[]> {
  const { Items = [] } = await db.send(
    new QueryCommand({
      TableName: env.OTP_HOLDS_TABLE,
      KeyConditionExpression: 'client_id = :client',
      ExpressionAttributeValues: { ':client': clientId },
    }),
  );
  return readableRows(otpHoldRow, Items, 'client_id');
}

export async function heldOtps({ db, env }: Context<'OTP_HOLDS_TABLE'>): Promise<readonly OtpHold[]> {
  const rows = await Array.fromAsync(scanRows(db, { TableName: env.OTP_HOLDS_TABLE }));
  return readableRows(otpHoldRow, rows, 'client_id').filter((row) => row.state === 'held');
}

/** Returns false if the state has changed since the caller read it. */
export async function replaceOtpHold(
  { db, env }: Context<'OTP_HOLDS_TABLE'>,
  seen: OtpHoldState | undefined,
  next: OtpHoldState,
): Promise<boolean> {
  const { client_id, country, ...values } = next;
  const row = { TableName: env.OTP_HOLDS_TABLE, Key: { client_id, country } };
  const { state, changed_at } = seen ?? {};
  return (await updateIf(db, row, { state, changed_at }, { ...ofOneState, ...values })).applied;
}
