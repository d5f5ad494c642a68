/** Messages as a table. */
import type { FoundMessage } from '../../shared/message/message-summary.ts';
import { textTable } from './print.ts';

export function messageTable(messages: readonly FoundMessage[], empty: string): string {
  return textTable(
    messages,
    [
      ['created', 'created_at'],
      'channel',
      ['from', (row) => (row.direction === 'inbound' ? row.from : null)],
      ['to', 'recipient'],
      'status',
      ['error', (row) => row.error?.code],
      ['client', (row) => row.client_id ?? 'none'],
      'reference',
      ['message', 'message_id'],
    ],
    empty,
  );
}
