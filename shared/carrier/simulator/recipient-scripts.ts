/** The simulator's recipients, and what happens to a message for each of them (contract, section 9). */

import type { Channel } from '../../contract/channels.ts';
import type { SimulatedRecipient } from '../../contract/simulated-recipients.ts';

/** What the simulated carrier reports of a message. */
export type Report = 'sent' | 'delivered' | 'read' | 'undeliverable' | 'timed_out';

export interface Script {
  /** Refused at the hand-over. */
  readonly refuses?: boolean;
  /** How many hand-overs are throttled before one is accepted. */
  readonly throttles?: number;
  /** Reported in this order, each `copies` times. */
  readonly reports: readonly Report[];
  readonly copies?: number;
  /** The text with which the person answers each message. */
  readonly replies?: (text: string) => string;
  /** Seconds between reports: the queue does not keep their order. */
  readonly secondsBetween?: number;
}

const ordinary: Script = { reports: ['sent', 'delivered'] };

type Behavior = Script | Readonly<Record<Channel, Script>>;

const scripts: Readonly<Record<string, Behavior>> = {
  '+15005550001': { refuses: true, reports: [] },
  '+15005550002': { reports: ['sent', 'undeliverable'] },
  '+15005550003': { reports: ['sent', 'timed_out'] },
  '+15005550004': { reports: [] },
  '+15005550005': { sms: ordinary, whatsapp: { reports: ['sent', 'delivered', 'read'] } },
  '+15005550006': { ...ordinary, throttles: 2 },
  '+15005550007': { reports: ['delivered', 'sent'], copies: 2, secondsBetween: 1 },
  '+15005550008': { ...ordinary, replies: () => 'STOP' },
  '+15005550009': { ...ordinary, replies: (text) => text },
} satisfies Record<SimulatedRecipient, Behavior>;

export function scriptFor(channel: Channel, recipient: string): Script {
  const script = scripts[recipient] ?? ordinary;
  return 'reports' in script ? script : script[channel];
}
