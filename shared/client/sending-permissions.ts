/** Which countries and senders a client may use, and which senders a country accepts (contract 3.3). */
import { type Channel, channelNames, stageCarriersOf } from '../contract/channels.ts';
import { countryNotAllowed, GatewayError } from '../contract/errors.ts';
import { countryOf, isAlphanumeric, placeOf } from '../contract/phone-number.ts';
import type { Context } from '../platform/context.ts';
import type { Environment } from '../platform/env.ts';
import { countriesWithoutSenderIds } from '../sender/sender-row.ts';

/**
 * The lists in a client's row. If `countries` is absent, all countries are allowed; if `senders` is absent, all
 * senders.
 */
export interface SendingPermissions {
  /** ISO 3166-1 alpha-2, or the calling code of numbers of no country: `+881`. */
  readonly countries?: readonly string[] | undefined;
  /** Names and numbers; also `otp` and `whatsapp`, which allow messages that name no sender. */
  readonly senders?: readonly string[] | undefined;
  /** True if rows of `senders` give this sender only to other clients, so that this client may not name it. */
  readonly isOfOthers?: ((sender: string) => boolean) | undefined;
}

/** Returns the countries of clients without their own list; undefined for all. */
export function stageCountriesOf({ ALLOWED_COUNTRIES: allowed }: Environment<'ALLOWED_COUNTRIES'>) {
  return allowed === 'all' ? undefined : allowed;
}

/** Returns the client's permissions. A client without a list of countries uses the stage's. */
export function permissionsOf(
  { env }: Context<'ALLOWED_COUNTRIES'>,
  { countries, senders }: SendingPermissions,
  { isOfOthers }: SendingPermissions,
): SendingPermissions {
  return { countries: countries ?? stageCountriesOf(env), senders, isOfOthers };
}

/**
 * Entries in a list of senders that allow a kind of message and are not SMS senders, with the error text if they are
 * missing.
 */
const kindRefusals = {
  otp: 'This client may not send one-time passwords: its list of senders does not name otp.',
  whatsapp: 'This client may not send by WhatsApp: its list of senders does not name whatsapp.',
} as const;

/** The kind of message: an SMS can name its sender, the others cannot. */
type MessageKind = 'sms' | keyof typeof kindRefusals;

const foreignSender = 'This client may not send from this sender.';

/**
 * Checks the client's list of senders, and that the sender is not another client's.
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

/** Returns why the client may not send to this recipient from this sender; undefined if it may. */
export function recipientRefusal(
  { countries }: SendingPermissions,
  recipient: string,
  from: string | undefined,
): string | undefined {
  const country = countryOf(recipient);
  // A list of all countries does not include numbers without a country: satellite and premium services cost the
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

/** @throws GatewayError `forbidden` if one of the channels is off on this stage: it has no carrier. */
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
