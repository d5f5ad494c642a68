/** The events that webhook endpoints receive, and the filters that select them. */

/**
 * The message events, with their descriptions in the API document. Each channel has the events in `eventStatuses` of
 * `message.ts`.
 */
export const messageEvents = {
  'sms.sent': 'SMS handed to the carrier',
  'sms.delivered': 'SMS delivered to the recipient',
  'sms.failed': 'SMS delivery failed',
  'sms.expired': 'SMS delivery timed out',
  'whatsapp.sent': 'WhatsApp message sent',
  'whatsapp.delivered': 'WhatsApp message delivered',
  'whatsapp.read': 'WhatsApp message read',
  'whatsapp.failed': 'WhatsApp delivery failed, or timed out (`error_code` is then `expired`)',
} as const;

export type MessageEventName = keyof typeof messageEvents;

export const messageEventNames = Object.keys(messageEvents) as [MessageEventName, ...MessageEventName[]];

/** Inbound messages (contract, section 13). */
export const inboundEvents = {
  'sms.received': 'SMS from a person',
  'whatsapp.received': 'WhatsApp message from a recipient',
} as const;

export const inboundEventNames = Object.keys(inboundEvents) as [
  keyof typeof inboundEvents,
  ...(keyof typeof inboundEvents)[],
];

/** Sent to a client's other endpoints when an endpoint is disabled because it acknowledged no webhook (contract 12.5). */
export const endpointDisabledEvent = 'webhook_endpoint.disabled';

/** The events of opt-outs and opt-ins (contract, section 13). */
export const recipientEvents = {
  'recipient.opted_out': "A recipient, or a carrier on the recipient's behalf, asked for no more messages",
  'recipient.opted_in': 'A recipient asked for messages again',
} as const;

export const recipientEventNames = Object.keys(recipientEvents) as [
  keyof typeof recipientEvents,
  ...(keyof typeof recipientEvents)[],
];

export const eventNames = [
  ...messageEventNames,
  ...inboundEventNames,
  ...recipientEventNames,
  endpointDisabledEvent,
] as const;

/** The permitted values of an endpoint's `events`: event names, or all events of a channel (contract 12.5). */
export const eventFilters = [...eventNames, 'sms.*', 'whatsapp.*'] as const;

/** @param filters - the endpoint's `events`; if absent, every event matches */
export function matchesFilters(event: string, filters: readonly string[] | undefined): boolean {
  if (filters === undefined) return true;
  return filters.includes(event) || filters.includes(`${event.slice(0, event.indexOf('.'))}.*`);
}
