/** Messages of people that an administrator makes up, where the simulator is the carrier. */
import { carrierIdOf, inboundNotification, simulatorNumber } from '../carrier/simulator/simulated-inbound.ts';
import type { Channel } from '../contract/channels.ts';
import { GatewayError } from '../contract/errors.ts';
import { inboundIdOf } from '../message/receive/receive-message.ts';
import type { AdminDependencies } from './admin-dependencies.ts';

interface SentInbound {
  /** The id under which the message is stored, in a moment. */
  readonly message_id: string;
  readonly channel: Channel;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly at: string;
}

interface WantedInbound {
  readonly channel: Channel;
  readonly from: string;
  /** By default the simulator's number. */
  readonly to?: string | undefined;
  readonly text: string;
}

/**
 * Sends the notification that a carrier would send, by the same queue.
 *
 * @throws GatewayError `not_found` where no carrier is the simulator.
 */
export async function sendInbound(
  { simulatedInbound, clock, newUuid }: Pick<AdminDependencies, 'simulatedInbound' | 'clock' | 'newUuid'>,
  { channel, from, to = simulatorNumber, text }: WantedInbound,
): Promise<SentInbound> {
  if (simulatedInbound === undefined) {
    throw new GatewayError('not_found', 'This stage cannot make up messages: its carrier is a real one.');
  }
  const at = clock();
  const id = newUuid();
  const body = inboundNotification({ channel, from, to, text, id, at });
  // Nobody knows its client yet; those of one person are together in a fair queue.
  await simulatedInbound([{ body, delaySeconds: 0 }], from);
  const message_id = inboundIdOf({ channel, carrierMessageId: carrierIdOf(channel, id) });
  return { message_id, channel, from, to, text, at: at.toISOString() };
}
