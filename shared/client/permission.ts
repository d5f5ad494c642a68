/** Which countries and senders a client may use, and which senders a country takes (contract, section 1: 403). */
import { GatewayError } from '../errors.ts';
import { countryOf, isAlphanumeric } from '../recipient.ts';

/** The limits on a client's row; an absent list allows everything. */
export interface SendingPermissions {
  /** ISO 3166-1 alpha-2. */
  readonly countries?: readonly string[] | undefined;
  readonly senders?: readonly string[] | undefined;
}

/** Countries whose carriers drop messages from alphanumeric senders. */
const countriesWithoutAlphanumericSenders: ReadonlySet<string> = new Set(['US', 'CA']);

/** Why the client may not send to this recipient from this sender; undefined where it may. */
export function sendingRefusal(
  permissions: SendingPermissions,
  recipient: string,
  from: string | undefined,
): string | undefined {
  const country = countryOf(recipient);
  if (
    permissions.countries !== undefined &&
    (country === undefined || !permissions.countries.includes(country))
  ) {
    return `This client may not send to ${country ?? 'numbers of no country'}.`;
  }
  if (from === undefined) return undefined;
  if (permissions.senders !== undefined && !permissions.senders.includes(from)) {
    return 'This client may not send from this sender.';
  }
  if (isAlphanumeric(from) && country !== undefined && countriesWithoutAlphanumericSenders.has(country)) {
    return `Alphanumeric senders are not taken in ${country}: send from a phone number.`;
  }
  return undefined;
}

/** @throws GatewayError `forbidden` with the reason. */
export function assertMaySend(
  permissions: SendingPermissions,
  recipient: string,
  from: string | undefined,
): void {
  const refusal = sendingRefusal(permissions, recipient, from);
  if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
}
