/**
 * What a carrier is: its facts, and the two objects that every folder beside this file exports, `NAME` of `NAME.ts` and `NAMEReports` of
 * `reports.ts`. They are apart, because no function needs both, and their code would slow its start. Adding a carrier is
 * such a folder and a line in `carriers.ts` and `carrier-reports.ts`.
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

/** A vendor's error codes, each with ours, which has the remedy. `elsewhere`: the fault is the carrier's own. */
export type VendorErrors = Readonly<
  Record<string, { readonly code: MessageErrorCode; readonly elsewhere?: true }>
>;

/** The outcome of a hand-over that the vendor refused with this error. */
export function refusedWith({ code, elsewhere }: VendorErrors[string]): HandOver {
  return { outcome: 'refused', ...messageError(code), ...(elsewhere ? { elsewhere } : {}) };
}

type VendorCodes = Readonly<Partial<Record<MessageErrorCode, readonly number[]>>>;

/**
 * Makes the table of a vendor's codes, which are given by ours.
 *
 * @param elsewhere - those for which the fault is the carrier's own
 * @param nameOf - the text by which a code is in the table
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

export type CarrierEnvironment = EnvironmentFor<typeof carriers>;

export interface CallContext<Credentials = unknown> {
  /** One, or two while they are changed: calls use the first, a callback may be signed with either. At most 60 s old. */
  readonly credentials: () => Promise<readonly Credentials[]>;
  readonly timeLimitMs: number;
}

export interface CarrierContext<Credentials = unknown> extends CallContext<Credentials> {
  /** The public address of a callback: `…/carriers/NAME/` and the path. */
  readonly callbackUrl: (path: string) => string;
  readonly prices: PriceTable;
  readonly clock: Clock;
  /** For a carrier that is a part of the deployment. */
  readonly env: CarrierEnvironment;
}

export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  /** The whole address as the carrier called it, with its query. */
  readonly url: string;
  /** What follows `/carriers/NAME/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How a carrier that calls us proves that it is the caller. None of these throws for what a stranger sends. */
interface CarrierCallbacks<Credentials = unknown> {
  /** The form of its secret, as in `CarrierModule`. */
  readonly credentials: z.ZodMiniType<Credentials>;
  /** Checks the raw bytes; true if one of the credentials fits. */
  verify(request: CallbackRequest, credentials: readonly Credentials[]): boolean;
  /** The text to respond with to a GET that asks whether the address is ours; undefined refuses it. */
  answerChallenge?(request: CallbackRequest, credentials: readonly Credentials[]): string | undefined;
}

export interface CredentialCheck {
  readonly works: boolean;
  /** What the carrier responded, for the operator; never a credential. */
  readonly answer: string;
}

export interface CarrierModule<Credentials = unknown> {
  readonly descriptor: CarrierDescriptor;
  /** By channel: what the carrier refuses with, or reports later. */
  readonly errors: { readonly [Of in Channel]?: VendorErrors };
  /** The form of its secret, which is JSON; only of a carrier that has one. */
  readonly credentials?: z.ZodMiniType<Credentials>;
  /** @throws where the environment lacks what the carrier needs. */
  create(channel: Channel, context: CarrierContext<Credentials>): Carrier;
  /** Makes a call that sends nothing. */
  checkCredentials?(context: CallContext<Credentials>): Promise<CredentialCheck>;
}

export interface CarrierReports<Credentials = unknown> {
  readonly descriptor: CarrierDescriptor;
  /** Only of a carrier whose reports come by callback. */
  readonly callbacks?: CarrierCallbacks<Credentials>;
  /** @throws UnreadableNotification where nothing in it can be read. */
  parse(reported: Reported): CarrierNotification;
}

type SenderKind = 'long_number' | 'short_code' | 'toll_free' | 'sender_id' | 'pool' | 'whatsapp_number';

/** The facts of a carrier, which the deploy, the hand-over and the tests read. */
export interface CarrierDescriptor {
  /** The name of its folder, in settings, in rows of `senders`, and in the paths of its callbacks. */
  readonly name: string;
  readonly channels: readonly Channel[];
  readonly senderKinds: readonly SenderKind[];
  readonly countries: string;
  readonly throughput: string;
  readonly confirms: string;
  readonly sandbox: string;
  /** The validity periods that it takes; a message's own is held within them. */
  readonly validitySeconds: { readonly min: number; readonly max: number };
  /** What it does with a repeated request that has the same attempt id. */
  readonly repeatedRequest: 'recognized' | 'sent_again';
  readonly settledBy: SettledBy;
  /** Whether it can be asked what became of a message: its `lookup`. */
  readonly canLookUp: boolean;
  /** How its reports arrive: it calls us, or publishes to a topic that feeds the receipts queue. */
  readonly reportsBy: 'callback' | 'topic';
  /** Whether it has credentials, in a secret of its own. */
  readonly hasCredentials: boolean;
}

/** The rest of a message's validity period, within what the carrier takes. */
export function validitySecondsFor(
  { validitySeconds: { min, max } }: Pick<CarrierDescriptor, 'validitySeconds'>,
  expiresAt: string,
  now: Date,
): number {
  const secondsLeft = Math.floor((Date.parse(expiresAt) - now.getTime()) / 1000);
  return Math.min(max, Math.max(min, secondsLeft));
}
