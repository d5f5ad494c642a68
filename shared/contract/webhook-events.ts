/** The events that are posted to webhook endpoints, and the filters by which an endpoint chooses among them. */

/** The events of messages, described as in the specification. */
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

/** An endpoint was disabled because it acknowledged nothing; sent to the client's other endpoints (contract, section 12). */
export const endpointDisabledEvent = 'webhook_endpoint.disabled';

/** What an endpoint's `events` may contain: names, or all events of a channel (contract, section 12). */
export const eventFilters = [...messageEventNames, 'sms.*', 'whatsapp.*', endpointDisabledEvent] as const;

export type EventFilter = (typeof eventFilters)[number];

/** @param filters - absent: every event */
export function matchesFilters(event: string, filters: readonly string[] | undefined): boolean {
  if (filters === undefined) return true;
  return filters.includes(event) || filters.includes(`${event.slice(0, event.indexOf('.'))}.*`);
}
