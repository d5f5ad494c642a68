/** Messages as a table. */
import type { FoundMessage } from '../../shared/admin/messages.ts';
import { textTable } from './print.ts';

export function messageTable(messages: readonly FoundMessage[], empty: string): string {
  return textTable(
    messages,
    [
      { title: 'created', of: (row) => row.created_at },
      { title: 'channel', of: (row) => row.channel },
      { title: 'from', of: (row) => (row.direction === 'inbound' ? row.from : null) },
      { title: 'to', of: (row) => row.recipient },
      { title: 'status', of: (row) => row.status },
      { title: 'error', of: (row) => row.error?.code },
      { title: 'client', of: (row) => row.client_id ?? 'none' },
      { title: 'reference', of: (row) => row.reference },
      { title: 'message', of: (row) => row.message_id },
    ],
    empty,
  );
}
