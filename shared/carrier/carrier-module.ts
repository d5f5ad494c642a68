/**
 * Defines a carrier: its facts, and the two objects that every folder next to this file exports (`NAME` in `NAME.ts`, and
 * `NAMEReports` in `NAME-reports.ts`). No function needs both objects, so each function loads only one. docs/recipes.md
 * explains how to add a carrier.
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
 * Maps a carrier's error codes to the gateway's. `elsewhere` marks a fault of the carrier, not of the message: another
 * carrier may accept the message.
 */
export type VendorErrors = Readonly<
  Record<string, { readonly code: MessageErrorCode; readonly elsewhere?: true }>
>;

/** Returns the outcome of a hand-over that the carrier refused with this error. */
export function refusedWith({ code, elsewhere }: VendorErrors[string]): HandOver {
  return { outcome: 'refused', ...messageError(code), ...(elsewhere ? { elsewhere } : {}) };
}

type VendorCodes = Readonly<Partial<Record<MessageErrorCode, readonly number[]>>>;

/**
 * Returns a table that maps a carrier's codes to the gateway's.
 *
 * @param codes - the carrier's codes, grouped by the gateway's code
 * @param elsewhere - the codes of faults of the carrier, not of the message
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
   * The carrier's credentials, at most 60 s old: one set, or two during a rotation. Calls use the first set, and a callback
   * may be signed with either.
   */
  readonly credentials: () => Promise<readonly Credentials[]>;
  readonly timeLimitMs: number;
}

export interface CarrierContext<Credentials = unknown> extends CallContext<Credentials> {
  /** Returns the public URL of a callback: `…/carriers/NAME/` and the path. */
  readonly callbackUrl: (path: string) => string;
  readonly prices: PriceTable;
  readonly clock: Clock;
  /** The environment variables of a carrier that is part of the deployment. */
  readonly env: EnvironmentFor<typeof carriers>;
}

export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  /** The full URL that the carrier called, including its query. */
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
  /** For each channel, the codes with which the carrier refuses a message or reports its failure. */
  readonly errors: { readonly [Of in Channel]?: VendorErrors };
  /** The schema of the carrier's secret, which contains JSON; absent if the carrier needs no secret. */
  readonly credentials?: z.ZodMiniType<Credentials>;
  /** @throws if the environment lacks a value that the carrier needs. */
  create(channel: Channel, context: CarrierContext<Credentials>): Carrier;
  /** Checks the credentials by a call that sends nothing. */
  checkCredentials?(context: CallContext<Credentials>): Promise<CredentialCheck>;
}

export interface CarrierReports<Credentials = unknown> {
  readonly descriptor: CarrierDescriptor;
  /**
   * Verify that a callback comes from the carrier. These functions never throw, whatever the request contains. Absent if
   * the carrier reports through an SNS topic.
   */
  readonly callbacks?: {
    /** The schema of the carrier's secret, as in `CarrierModule`. */
    readonly credentials: z.ZodMiniType<Credentials>;
    /** Verifies the signature of the raw bytes. True if it matches one of the credentials. */
    verify(request: CallbackRequest, credentials: readonly Credentials[]): boolean;
    /**
     * Returns the response to the GET by which the carrier checks that we own the address. If undefined, the request is
     * refused.
     */
    answerChallenge?(request: CallbackRequest, credentials: readonly Credentials[]): string | undefined;
  };
  /** @throws UnreadableNotification if no part of the report can be read. */
  parse(reported: Reported): CarrierNotification;
}

/** The facts of a carrier, for the deploy, the hand-over and the tests. */
export interface CarrierDescriptor {
  /** The name of the carrier's folder. Settings, rows of `senders`, and paths of callbacks use it too. */
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
  /** The carrier's response to a repeated request of the same attempt id. */
  readonly repeatedRequest: 'recognized' | 'sent_again';
  readonly settledBy: SettledBy;
  /** True if the carrier can look up messages (`lookup`). */
  readonly canLookUp: boolean;
  /** How the carrier reports: it calls the gateway, or publishes to a topic that feeds the receipts queue. */
  readonly reportsBy: 'callback' | 'topic';
  /** True if the carrier has credentials, which are in a secret of its own. */
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
