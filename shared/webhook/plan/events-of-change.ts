/** The events of a change of a message, in the order of the states: each is posted to every destination that receives it. */
import { eventsToSend, type Message, type MessageChange } from '../../message/message.ts';
import { eventBody, eventName, recipientEventBody } from './event-body.ts';

interface WebhookEvent {
  readonly event: string;
  /** When the message entered the state. */
  readonly happenedAt: string;
  /** Built only when the event is posted: a search for deliveries needs only the names. */
  readonly body: () => string;
}

export function eventsOfChange(change: MessageChange): WebhookEvent[] {
  const { after } = change;
  return eventsToSend(change).flatMap((status) => {
    const happenedAt = after[`${status}_at`] ?? after.created_at;
    const own = { event: eventName(after, status), happenedAt, body: () => eventBody(after, status) };
    const event = status === 'received' || status === 'failed' ? recipientEventOf(after) : undefined;
    return event === undefined
      ? [own]
      : [own, { event, happenedAt, body: () => recipientEventBody(after, event, happenedAt) }];
  });
}

export function eventsOf(message: Message): WebhookEvent[] {
  return eventsOfChange({ before: undefined, after: message });
}

/** What a message tells of its recipient: a word of the person, or that a carrier refused it for that reason. */
function recipientEventOf(message: Message): 'recipient.opted_out' | 'recipient.opted_in' | undefined {
  if (message.opt_keyword !== undefined) {
    return message.opt_keyword === 'opt_out' ? 'recipient.opted_out' : 'recipient.opted_in';
  }
  const byCarrier = message.error_code === 'recipient_opted_out' && message.suppressed !== true;
  return byCarrier ? 'recipient.opted_out' : undefined;
}
