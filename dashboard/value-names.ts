/** How the dashboard shows values of the API: channels, caps, numbers, and words such as `retry_scheduled`. */
import type { Channel } from '../shared/contract/channels.ts';
import type { CapName } from '../shared/contract/rate-limits-and-caps.ts';
import { inOneLine } from '../shared/platform/visible-text.ts';

export const channelNames: Readonly<Record<Channel, string>> = { sms: 'SMS', whatsapp: 'WhatsApp' };

export const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }));

export const capNames: Readonly<Record<CapName, string>> = {
  messages: 'All messages (cap)',
  spend: 'Spend (cap)',
};

const numbers = new Intl.NumberFormat('en');

/** Formats a number as the gateway does. The user's locale could format a thousand as `1.000`. */
export function numberText(value: number): string {
  return numbers.format(value);
}

/** Formats a value of a row before or after a change, such as `GB, FR` or the ARNs of a queue and its role. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'object') return Object.values(value).map(valueText).join(', ');
  return typeof value === 'number' ? numberText(value) : inOneLine(String(value));
}

/** The client id of the row that applies to every client without its own row. */
export const everyClient = '*';

/** Returns `retry_scheduled` as `Retry scheduled`. */
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
