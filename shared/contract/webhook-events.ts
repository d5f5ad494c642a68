/** The events that are posted to webhook endpoints, and the filters that an endpoint uses to select them. */

/**
 * The message events with their descriptions for the API document. Each channel has the events of `eventStatuses` in
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
  'whatsapp.received': 'WhatsApp message from a person',
} as const;

export const inboundEventNames = Object.keys(inboundEvents) as [
  keyof typeof inboundEvents,
  ...(keyof typeof inboundEvents)[],
];

/**
 * Reports that an endpoint was disabled because it acknowledged nothing. It is sent to the client's other endpoints
 * (contract 12.5).
 */
export const endpointDisabledEvent = 'webhook_endpoint.disabled';

/** The events of opt-outs and opt-ins (contract, section 13). */
export const recipientEvents = {
  'recipient.opted_out': 'A person, or a carrier for them, asked for no more messages',
  'recipient.opted_in': 'A person asked for messages again',
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

/** The permitted values of an endpoint's `events`: names, or all events of a channel (contract 12.5). */
export const eventFilters = [...eventNames, 'sms.*', 'whatsapp.*'] as const;

/** @param filters - absent: every event */
export function matchesFilters(event: string, filters: readonly string[] | undefined): boolean {
  if (filters === undefined) return true;
  return filters.includes(event) || filters.includes(`${event.slice(0, event.indexOf('.'))}.*`);
}
