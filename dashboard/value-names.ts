/** How the dashboard shows values of the API: channels, caps, times, shares, and words such as `retry_scheduled`. */
import type { CapName } from '../shared/contract/caps.ts';
import type { Channel } from '../shared/contract/channels.ts';

export const channelNames: Readonly<Record<Channel, string>> = { sms: 'SMS', whatsapp: 'WhatsApp' };

export const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }));

export const capNames: Readonly<Record<CapName, string>> = {
  messages: 'All messages (cap)',
  spend: 'Spend (cap)',
};

/** The id in rows for every client that has no row of its own. */
export const everyClient = '*';

/** `retry_scheduled` as `Retry scheduled`. */
export function nameOf(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`.replaceAll('_', ' ');
}

export function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function percent(rate: number | null | undefined): string {
  return typeof rate === 'number' ? `${Math.round(rate * 1000) / 10} %` : '–';
}
