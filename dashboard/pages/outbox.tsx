/** Outbox: what the simulated carrier received, body and all; only where it is the carrier. */
import type { OutboxMessage } from '../../shared/admin/outbox.ts';
import { usePagedAnswer } from '../api/queries.ts';
import type { Column } from '../components/columns.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { NumberSearch } from '../components/search-form.tsx';
import { useListState } from '../route.ts';
import { channelNames } from '../value-names.ts';

export function OutboxPage() {
  const { filter, isFiltered } = useListState();
  const list = usePagedAnswer('listOutbox', {}, { to: filter('to') }, ({ messages, next_cursor }) => ({
    rows: messages,
    nextCursor: next_cursor,
  }));
  return (
    <Page title="Outbox" description="The messages that the simulated carrier received, the newest first.">
      <List<OutboxMessage>
        {...list}
        title="Messages"
        filter={<NumberSearch label="Recipient" name="to" />}
        columns={columns}
        empty="No message was sent on this stage."
        isFiltered={isFiltered}
        isCounted
        csvName="outbox"
        idOf={(entry) => `${entry.message_id} ${entry.at}`}
      />
    </Page>
  );
}

const columns: readonly Column<OutboxMessage>[] = [
  { title: 'Recipient', field: 'to', minWidth: 140 },
  { title: 'Text', minWidth: 200, cell: (entry) => entry.body, csv: { text: (entry) => entry.body } },
  { title: 'Time', field: 'at', minWidth: 150, isTime: true },
  { title: 'Sender', field: 'from', minWidth: 110 },
  { title: 'Channel', field: 'channel', minWidth: 100, cell: ({ channel }) => channelNames[channel] },
  {
    title: 'Message',
    field: 'message_id',
    minWidth: 180,
    cell: (entry) => <IdLink page="messages" id={entry.message_id} />,
  },
];
