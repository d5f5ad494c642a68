/** Messages of people that an administrator makes up, where the simulator is the carrier. */
import * as z from 'zod/mini';
import { carrierIdOf, inboundNotification, simulatorNumber } from '../carrier/simulator/simulated-inbound.ts';
import { type Channel, channels } from '../contract/channels.ts';
import { GatewayError } from '../contract/errors.ts';
import { modes } from '../contract/mode.ts';
import { inboundIdOf } from '../message/receive/receive-message.ts';
import { recipientSchema } from '../sender/phone-number.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { textUpTo } from './request-fields.ts';

/** The maximum length of an SMS in seven bits: ten parts, which no handset exceeds. */
const inboundCharactersMax = 1600;

export const inboundBody = z.object({
  channel: z._default(z.enum(channels), 'sms'),
  from: recipientSchema,
  to: z.optional(z.nullable(recipientSchema)),
  text: textUpTo(inboundCharactersMax),
  /** The mode of the data that the message belongs to. */
  mode: z._default(z.enum(modes), 'live'),
});

interface SentInbound {
  /** The id under which the message is stored, in a moment. */
  readonly message_id: string;
  readonly channel: Channel;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly at: string;
}

/**
 * Sends the notification that a carrier would send, by the same queue.
 *
 * @throws GatewayError `not_found` for live data where no carrier is the simulator.
 */
export async function sendInbound(
  dependencies: Pick<AdminDependencies, 'simulatedInbound' | 'isSimulated' | 'clock' | 'newUuid'>,
  { channel, from, to: number, text, mode }: z.output<typeof inboundBody>,
): Promise<SentInbound> {
  const { simulatedInbound, isSimulated, clock, newUuid } = dependencies;
  if (mode === 'live' && !isSimulated) {
    throw new GatewayError(
      'not_found',
      'This stage makes up messages to test data only, because its carrier is a real one.',
    );
  }
  const to = number ?? simulatorNumber;
  const at = clock();
  const id = newUuid();
  const body = inboundNotification({
    ...{ channel, from, to, text, id, at },
    mode: mode === 'test' ? mode : undefined,
  });
  // The client is not known yet; the messages of one person are a group of the fair queue.
  await simulatedInbound([{ body, delaySeconds: 0 }], from);
  const message_id = inboundIdOf({ channel, carrierMessageId: carrierIdOf(channel, id) });
  return { message_id, channel, from, to, text, at: at.toISOString() };
}
