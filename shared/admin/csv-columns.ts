/** The CSV files of messages and of usage, which are the same from the dashboard and from the shell. */
import { type Cell, csvTable } from '../platform/csv.ts';
import type { FoundMessage } from './find-messages.ts';
import { summaryOf } from './message-summary.ts';
import type { UsageList } from './usage.ts';

/** @param nameOf - the name of a client; undefined if it no longer exists */
export function messageCsvColumns(
  nameOf: (clientId: string) => string | undefined,
): Readonly<Record<string, (message: FoundMessage) => Cell>> {
  return {
    message_id: ({ message_id }) => message_id,
    direction: directionOf,
    recipient: ({ recipient }) => recipient,
    from: ({ from }) => from,
    status: ({ status }) => status,
    error_code: ({ error }) => error?.code,
    created_at: ({ created_at }) => created_at,
    client_id: ({ client_id }) => client_id,
    client_name: ({ client_id }) => (client_id === null ? undefined : nameOf(client_id)),
    channel: ({ channel }) => channel,
    type: ({ type }) => type,
    reference: ({ reference }) => reference,
    segments: ({ segments }) => segments,
    cost: ({ cost }) => cost,
    currency: ({ currency }) => currency,
    scheduled_at: ({ scheduled_at }) => scheduled_at,
    sent_at: ({ sent_at }) => sent_at,
    delivered_at: ({ delivered_at }) => delivered_at,
    read_at: ({ read_at }) => read_at,
    received_at: ({ received_at }) => received_at,
    in_reply_to: ({ in_reply_to }) => in_reply_to,
    received: (message) => (directionOf(message) === 'inbound' ? summaryOf(message) : undefined),
  };
}

function directionOf({ direction }: FoundMessage): 'inbound' | 'outbound' {
  return direction ?? 'outbound';
}

const groupColumns = ['client_id', 'client_name', 'channel', 'type', 'country', 'status'] as const;
const sumColumns = ['messages', 'segments', 'delivered', 'failed', 'cost'] as const;

/**
 * Writes usage as CSV. A cost in another currency has its own line, without messages, so that no column mixes
 * currencies.
 */
export function usageCsv({ usage, currency }: UsageList): string {
  const header = ['from', 'to', ...groupColumns, ...sumColumns, 'currency', 'estimated'];
  const rows = usage.flatMap((entry) => {
    const start = [entry.from, entry.to, ...groupColumns.map((name) => entry[name])];
    return [
      [...start, ...sumColumns.map((name) => entry[name]), currency, entry.estimated],
      ...Object.entries(entry.other_costs ?? {}).map(([other, cost]) => [
        ...start,
        ...sumColumns.map((name) => (name === 'cost' ? cost : 0)),
        other,
        entry.estimated,
      ]),
    ];
  });
  return csvTable(header, rows);
}
