/** The facts of a carrier, which the deploy, the hand-over and the tests read. */
import type { Channel } from '../contract/channels.ts';
import type { SettledBy } from '../message/dispatch/carrier.ts';

type SenderKind = 'long_number' | 'short_code' | 'toll_free' | 'sender_id' | 'pool' | 'whatsapp_number';

export interface CarrierDescriptor {
  /** The name of its folder, in settings, in rows of `senders`, and in the paths of its callbacks. */
  readonly name: string;
  readonly channels: readonly Channel[];
  readonly senderKinds: readonly SenderKind[];
  /** Texts for the documentation. */
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
