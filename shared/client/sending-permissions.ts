/** Which countries and senders a client may use, and which senders a country accepts (contract 3.3). */
import { type Channel, channelNames, stageCarriersOf } from '../contract/channels.ts';
import { countryNotAllowed, GatewayError } from '../contract/errors.ts';
import { countryOf, isAlphanumeric, placeOf } from '../contract/phone-number.ts';
import type { Context } from '../platform/context.ts';
import type { Environment } from '../platform/env.ts';
import { countriesWithoutSenderIds } from '../sender/sender-row.ts';

/** The lists in a client's row. An absent list allows all countries or all senders. */
export interface SendingPermissions {
  /** Countries in ISO 3166-1 alpha-2, or calling codes that belong to no country, such as `+881`. */
  readonly countries?: readonly string[] | undefined;
  /** Names and numbers. `otp` and `whatsapp` allow these kinds of messages, which have no `from`. */
  readonly senders?: readonly string[] | undefined;
  /** True if rows of `senders` reserve this sender for other clients. */
  readonly isOfOthers?: ((sender: string) => boolean) | undefined;
}

/** Returns the countries for clients without their own list; undefined if all are allowed. */
export function stageCountriesOf({ ALLOWED_COUNTRIES: allowed }: Environment<'ALLOWED_COUNTRIES'>) {
  return allowed === 'all' ? undefined : allowed;
}

/** Returns the client's permissions. A client without its own list of countries uses the stage's. */
export function permissionsOf(
  { env }: Context<'ALLOWED_COUNTRIES'>,
  { countries, senders }: SendingPermissions,
  { isOfOthers }: SendingPermissions,
): SendingPermissions {
  return { countries: countries ?? stageCountriesOf(env), senders, isOfOthers };
}

/**
 * Entries in a list of senders that allow a kind of message instead of naming a sender, with the error text if they are
 * missing.
 */
const kindRefusals = {
  otp: 'This client may not send one-time passwords: its list of senders does not name otp.',
  whatsapp: 'This client may not send by WhatsApp: its list of senders does not name whatsapp.',
} as const;

/** The kind of a message. Only an SMS can have `from`. */
type MessageKind = 'sms' | keyof typeof kindRefusals;

const foreignSender = 'This client may not use this sender.';

/**
 * Checks that the client's list of senders allows the sender, and that no other client has reserved it.
 *
 * @throws GatewayError `forbidden` with the reason.
 */
export function assertMaySendFrom(
  { senders, isOfOthers }: SendingPermissions,
  kind: MessageKind,
  from: string | undefined,
): void {
  const isForeign = from !== undefined && isOfOthers?.(from) === true;
  const listed = senders === undefined ? undefined : senderRefusal(senders, kind, from);
  const refusal = isForeign ? foreignSender : listed;
  if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
}

function senderRefusal(
  senders: readonly string[],
  kind: MessageKind,
  from: string | undefined,
): string | undefined {
  if (kind !== 'sms') return senders.includes(kind) ? undefined : kindRefusals[kind];
  if (from === undefined) return 'This client must name one of its senders in "from".';
  return senders.includes(from) && !Object.hasOwn(kindRefusals, from) ? undefined : foreignSender;
}

/** Returns why the client may not send from this sender to this recipient; undefined if it may. */
export function recipientRefusal(
  { countries }: SendingPermissions,
  recipient: string,
  from: string | undefined,
): string | undefined {
  const country = countryOf(recipient);
  // Even if all countries are allowed, numbers without a country are not, because satellite and premium services cost the
  // most.
  if (countries === undefined ? country === undefined : !countries.includes(placeOf(recipient))) {
    return countryNotAllowed(country);
  }
  if (from === undefined || country === undefined) return undefined;
  if (isAlphanumeric(from) && countriesWithoutSenderIds.has(country)) {
    return `Alphanumeric senders are not accepted in ${country}: send from a phone number.`;
  }
  return undefined;
}

/** @throws GatewayError `forbidden` if a channel is off on this stage. */
export function assertChannelsOn(
  { env }: Context<'SMS_CARRIER' | 'WHATSAPP_CARRIER'>,
  used: readonly Channel[],
): void {
  const carriers = stageCarriersOf(env);
  const refused = used.find((channel) => carriers[channel].length === 0);
  if (refused !== undefined)
    throw new GatewayError('forbidden', `This gateway sends no messages by ${channelNames[refused]}.`);
}

/** @throws GatewayError `forbidden` with the reason. */
export function assertMaySend(
  permissions: SendingPermissions,
  kind: MessageKind,
  recipient: string,
  from?: string,
): void {
  assertMaySendFrom(permissions, kind, from);
  const refusal = recipientRefusal(permissions, recipient, from);
  if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
}
