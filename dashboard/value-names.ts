/** How the dashboard shows values of the API: channels, caps, and words such as `retry_scheduled`. */
import type { Channel } from '../shared/contract/channels.ts';
import type { CapName } from '../shared/contract/limit-rows.ts';

export const channelNames: Readonly<Record<Channel, string>> = { sms: 'SMS', whatsapp: 'WhatsApp' };

export const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }));

export const capNames: Readonly<Record<CapName, string>> = {
  messages: 'All messages (cap)',
  spend: 'Spend (cap)',
};

/** `retry_scheduled` as `Retry scheduled`. */
export function nameOf(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`.replaceAll('_', ' ');
}
