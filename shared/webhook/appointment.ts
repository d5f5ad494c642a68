/**
 * How the agenda names a delivery: by its message and its event, from which its id follows, and the delivery itself
 * where no worker has made its row yet.
 */
import type { Appointment } from '../agenda/agenda.ts';
import { derivedId } from '../ids.ts';
import type { Delivery } from './delivery.ts';
import { lookAgainAt } from './delivery-steps.ts';

export interface OwedEvent {
  readonly messageId: string;
  readonly event: string;
}

/** One delivery for each event of a message, however often it is planned. */
export function deliveryIdOf({ messageId, event }: OwedEvent): string {
  return derivedId('whd', messageId, event);
}

/** The place in the agenda of a delivery that is not finished. */
export function appointmentOf(delivery: Delivery): Appointment[] {
  const dueAt = lookAgainAt(delivery);
  return dueAt === undefined ? [] : [{ id: `${delivery.message_id}#${delivery.event}`, dueAt }];
}

/** What an appointment's id stands for. */
export function owedEventOf(appointmentId: string): OwedEvent {
  const [messageId = '', event = ''] = appointmentId.split('#');
  return { messageId, event };
}
