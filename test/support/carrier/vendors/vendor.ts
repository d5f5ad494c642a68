/**
 * Describes a vendor for its double in tests: its requests, responses and reports.
 * A carrier of somebody else is certified with one more such file, as docs/carriers.md says.
 */
import { join } from 'node:path';
import type { Channel } from '../../../../shared/contract/channels.ts';
import type { MessageErrorCode } from '../../../../shared/contract/message-error-codes.ts';
import type { VendorRequest } from '../vendor-description.ts';

/** A message, as the vendor is asked to send it. */
export interface Asked {
  /** E.164, with a plus. */
  readonly to: string;
  /** Such as `msg_….1`: what the vendor gives back. */
  readonly attemptId: string;
  readonly text: string;
}

/** A message that the vendor took. */
export interface Taken extends Asked {
  readonly vendorId: string;
  readonly at: Date;
  /** The price in its reports, if the vendor reports one. */
  readonly price: number;
  /** What it says in the end, and where it is asked. */
  readonly outcome: Outcome;
}

export interface VendorResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A call of the vendor to us. */
export interface Callback {
  /** What follows `/carriers/NAME/`. */
  readonly path: string;
  /** The name of the callback in the description, if it contains one. */
  readonly name?: string;
  readonly contentType: string;
  readonly text: string;
}

export type Outcome = 'sent' | 'delivered' | 'unreachable';

type Refusal =
  /** Final. */
  | 'recipient'
  /** The account's or the sender's, so that another carrier may be asked. */
  | 'account'
  | 'throttled'
  /** The vendor has a fault of its own, and says that it did not take the message. */
  | 'unavailable';

/** A vendor, however it reports. */
export interface Vendor {
  readonly name: string;
  readonly channel: Channel;
  /** True if a second request with the same attempt id sends nothing. */
  readonly recognizesRepeats: boolean;
  /** The currency of the prices in its reports; absent where they have none. */
  readonly reportsPricesIn?: string;
  /** Our codes for what it refuses. */
  readonly refusalCodes: Readonly<Record<'recipient' | 'account', MessageErrorCode>>;
  /** Its id for a message, in its form. */
  newId(): string;
  isAuthorized(request: VendorRequest): boolean;
  /** The response to wrong credentials. */
  readonly unauthorized: VendorResponse;
  /** Returns the message in a request. Undefined if the request sends nothing. */
  askedIn(request: VendorRequest): Asked | undefined;
  accepted(taken: Taken, isRepeat: boolean): VendorResponse;
  /** The response to a request that sends nothing. */
  answer(request: VendorRequest, taken: readonly Taken[]): VendorResponse;
  /** Returns the documented response; undefined if the vendor documents none. */
  refusal(why: Refusal): VendorResponse | undefined;
  /** The response if only this recipient gets too many messages; absent if the vendor has no such limit. */
  readonly throttledForRecipient?: VendorResponse;
  report(taken: Taken, outcome: Outcome): Callback;
}

/** A vendor that is described in OpenAPI, and calls us with what it reports. */
export interface CallbackVendor extends Vendor {
  /** JSON: OpenAPI 3.0 or 3.1. */
  readonly description: string;
  /** The content of the carrier's secret, and of its object in the file of `npm start -- --carriers`. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The names of the fields that prove a callback. */
  readonly callbackSecret: string;
  /** A message from a person. */
  received(message: { readonly from: string; readonly text: string; readonly id: string }): Callback;
  /** The headers that prove the callback. */
  sign(callback: Callback, url: string, secret: string): Readonly<Record<string, string>>;
}

export function descriptionOf(name: string): string {
  return join(import.meta.dirname, '..', 'descriptions', `${name}.json`);
}

export function json(status: number, body: object): VendorResponse {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) };
}
