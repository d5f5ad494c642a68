/** Outbox: what the simulated carrier received, body and all; only where it is the carrier. */
import type { OutboxMessage } from '../../shared/admin/outbox.ts';
import { useAnswer } from '../api/queries.ts';
import type { CsvColumns } from '../components/download.ts';
import { IdLink } from '../components/id-link.tsx';
import { type Column, List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { withoutSeparators } from '../components/phone-number.ts';
import { SearchForm } from '../components/search-form.tsx';
import { Time } from '../components/time.tsx';
import { useListState } from '../route.ts';
import { channelNames } from '../value-names.ts';

export function OutboxPage() {
  const { filter, isFiltered, change } = useListState();
  const to = filter('to');
  const query = useAnswer('listOutbox', {}, { to });
  return (
    <Page title="Outbox" description="The latest 200 messages that the simulated carrier received.">
      <List<OutboxMessage>
        title="Messages"
        filter={
          <SearchForm
            key={to}
            label="Recipient"
            placeholder="+44…"
            value={to}
            onSearch={(text) => change({ to: withoutSeparators(text) })}
          />
        }
        columns={columns}
        rows={query.data?.messages}
        query={query}
        empty="No message was sent on this stage."
        isFiltered={isFiltered}
        isCounted
        csv={{ name: 'outbox', columns: csvColumns }}
        idOf={(entry) => `${entry.message_id} ${entry.at}`}
      />
    </Page>
  );
}

/** The most important first: a narrow window shows one or two of them. */
const columns: Column<OutboxMessage>[] = [
  { id: 'to', header: 'Recipient', minWidth: 140, isRowHeader: true, cell: (entry) => entry.to },
  { id: 'body', header: 'Text', minWidth: 200, cell: (entry) => entry.body },
  { id: 'at', header: 'Time', minWidth: 150, cell: (entry) => <Time at={entry.at} /> },
  { id: 'from', header: 'Sender', minWidth: 110, cell: (entry) => entry.from ?? '–' },
  { id: 'channel', header: 'Channel', minWidth: 100, cell: (entry) => channelNames[entry.channel] },
  {
    id: 'message',
    header: 'Message',
    minWidth: 180,
    cell: (entry) => <IdLink page="messages" id={entry.message_id} />,
  },
];

const csvColumns = {
  at: (entry) => entry.at,
  to: (entry) => entry.to,
  from: (entry) => entry.from,
  channel: (entry) => entry.channel,
  text: (entry) => entry.body,
  message_id: (entry) => entry.message_id,
} as const satisfies CsvColumns<OutboxMessage>;
