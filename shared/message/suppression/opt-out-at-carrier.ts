/** A carrier refused a message because its recipient opted out there: the gateway stops sending to them too. */
import type { Message } from '../message.ts';
import type { SuppressionStore } from './suppression-store.ts';

/** Its event follows from the message's state. */
export function optOutAtCarrier(suppressions: Pick<SuppressionStore, 'change'>) {
  return async ({ client_id, recipient, message_id }: Message, at: Date): Promise<void> => {
    await suppressions.change({
      client_id,
      recipient,
      scope: 'messages',
      reason: 'The carrier reports that the recipient opted out',
      source: 'carrier',
      at,
      cause: message_id,
    });
  };
}
