/**
 * Defines the parts of a carrier: its facts, and two objects that every folder next to this file exports (`NAME` in
 * `NAME.ts` and `NAMEReports` in `NAME-reports.ts`). No function needs both objects, so each function loads only one.
 * docs/recipes.md explains how to add a carrier.
 */
import type * as z from 'zod/mini';
import type { Channel } from '../contract/channels.ts';
import { type MessageErrorCode, messageError } from '../contract/message-error-codes.ts';
import type { PriceTable } from '../contract/prices.ts';
import type { carriers } from '../contract/worker-uses.ts';
import type { Carrier, HandOver, SettledBy } from '../message/dispatch/carrier.ts';
import type { Clock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import type { CarrierNotification, Reported } from './carrier-notification.ts';

/**
 * Maps a vendor's error codes to ours. With `elsewhere`, the fault is with the carrier and not with the message, so another
 * carrier may accept the message.
 */
export type VendorErrors = Readonly<
  Record<string, { readonly code: MessageErrorCode; readonly elsewhere?: true }>
>;

/** Returns the outcome of a hand-over that the vendor refused with this error. */
export function refusedWith({ code, elsewhere }: VendorErrors[string]): HandOver {
  return { outcome: 'refused', ...messageError(code), ...(elsewhere ? { elsewhere } : {}) };
}

type VendorCodes = Readonly<Partial<Record<MessageErrorCode, readonly number[]>>>;

/**
 * Returns a table that maps a vendor's codes to ours.
 *
 * @param codes - the vendor's codes by ours
 * @param elsewhere - codes for which the fault is the carrier's own
 * @param nameOf - returns the key of a code in the table
 */
export function vendorErrors(
  codes: VendorCodes,
  elsewhere: VendorCodes,
  nameOf: (vendorCode: number) => string = String,
): VendorErrors {
  const rows = (some: VendorCodes, more: { readonly elsewhere?: true }) =>
    Object.entries(some).flatMap(([code, vendorCodes]) =>
      vendorCodes.map((each) => [nameOf(each), { code: code as MessageErrorCode, ...more }] as const),
    );
  return Object.fromEntries([...rows(codes, {}), ...rows(elsewhere, { elsewhere: true })]);
}

export interface CallContext<Credentials = unknown> {
  /**
   * One set of credentials, or two during a rotation: calls use the first, and a callback may be signed with either. At most
   * 60 s old.
   */
  readonly credentials: () => Promise<readonly Credentials[]>;
  readonly timeLimitMs: number;
}

export interface CarrierContext<Credentials = unknown> extends CallContext<Credentials> {
  /** Returns the public address of a callback: `…/carriers/NAME/` and the path. */
  readonly callbackUrl: (path: string) => string;
  readonly prices: PriceTable;
  readonly clock: Clock;
  /** The environment variables, for a carrier that is part of the deployment. */
  readonly env: EnvironmentFor<typeof carriers>;
}

export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  /** The full URL that the carrier called, including the query. */
  readonly url: string;
  /** The part after `/carriers/NAME/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface CredentialCheck {
  readonly works: boolean;
  /** The response of the carrier, to show to the operator; it never contains a credential. */
  readonly answer: string;
}

export interface CarrierModule<Credentials = unknown> {
  readonly descriptor: CarrierDescriptor;
  /** By channel: the codes with which the carrier refuses a message, or reports its failure. */
  readonly errors: { readonly [Of in Channel]?: VendorErrors };
  /** The schema of the carrier's secret, which is JSON; absent if the carrier has no secret. */
  readonly credentials?: z.ZodMiniType<Credentials>;
  /** @throws if the environment lacks a value that the carrier needs. */
  create(channel: Channel, context: CarrierContext<Credentials>): Carrier;
  /** Checks the credentials by a call that sends nothing. */
  checkCredentials?(context: CallContext<Credentials>): Promise<CredentialCheck>;
}

export interface CarrierReports<Credentials = unknown> {
  readonly descriptor: CarrierDescriptor;
  /**
   * Check that a callback comes from the carrier. These functions never throw, regardless of the request. Absent if the
   * carrier reports through a topic.
   */
  readonly callbacks?: {
    /** The schema of the carrier's secret, as in `CarrierModule`. */
    readonly credentials: z.ZodMiniType<Credentials>;
    /** Checks the raw bytes. True if one of the credentials fits. */
    verify(request: CallbackRequest, credentials: readonly Credentials[]): boolean;
    /**
     * Returns the response to a GET by which the carrier checks that the address is ours; undefined refuses the request.
     */
    answerChallenge?(request: CallbackRequest, credentials: readonly Credentials[]): string | undefined;
  };
  /** @throws UnreadableNotification if nothing in it can be read. */
  parse(reported: Reported): CarrierNotification;
}

/** The facts of a carrier. The deploy, the hand-over and the tests read them. */
export interface CarrierDescriptor {
  /**
   * The name of the carrier's folder. It is also the name in settings, in rows of `senders`, and in the paths of callbacks.
   */
  readonly name: string;
  readonly channels: readonly Channel[];
  readonly senderKinds: readonly (
    | 'long_number'
    | 'short_code'
    | 'toll_free'
    | 'sender_id'
    | 'pool'
    | 'whatsapp_number'
  )[];
  readonly countries: string;
  readonly throughput: string;
  readonly confirms: string;
  readonly sandbox: string;
  /** The shortest and the longest validity period that the carrier accepts. */
  readonly validitySeconds: { readonly min: number; readonly max: number };
  /** The reaction of the carrier to a repeated request with the same attempt id. */
  readonly repeatedRequest: 'recognized' | 'sent_again';
  readonly settledBy: SettledBy;
  /** True if the carrier can look up messages (`lookup`). */
  readonly canLookUp: boolean;
  /** Says how the carrier reports: it calls us, or publishes to a topic that feeds the receipts queue. */
  readonly reportsBy: 'callback' | 'topic';
  /** True if the carrier has credentials. They are in a separate secret. */
  readonly hasCredentials: boolean;
}

/** Returns the remaining validity period of a message in seconds, within the limits of the carrier. */
export function validitySecondsFor(
  { validitySeconds: { min, max } }: CarrierDescriptor,
  expiresAt: string,
  now: Date,
): number {
  const secondsLeft = Math.floor((Date.parse(expiresAt) - now.getTime()) / 1000);
  return Math.min(max, Math.max(min, secondsLeft));
}
