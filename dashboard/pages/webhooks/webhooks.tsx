/** The webhooks of one client, whatever became of them: by message, the newest first; failed ones by their last failure. */
import Box from '@cloudscape-design/components/box';
import Grid from '@cloudscape-design/components/grid';
import Link from '@cloudscape-design/components/link';
import { eventNames } from '../../../shared/contract/webhook-events.ts';
import type { DeliverySummary } from '../../../shared/webhook/log/delivery-response.schema.ts';
import { useAnswer } from '../../api/queries.ts';
import { ChoiceField, type Option } from '../../components/choice-field.tsx';
import { ClientField } from '../../components/client-name.tsx';
import type { CsvColumns } from '../../components/download.ts';
import { Filters } from '../../components/filters.tsx';
import { IdLink } from '../../components/id-link.tsx';
import { type Column, List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { DeliveryState, isInProgress, webhookStates } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { TimeRange, timesIn, withStart } from '../../components/time-range.tsx';
import { useTypedText } from '../../components/typed-text.ts';
import { useDashboard } from '../../context.ts';
import { linkTo, useListState } from '../../route.ts';
import { nameOf } from '../../value-names.ts';

export function WebhooksPage() {
  const { api } = useDashboard();
  const { filter, isFiltered, cursor, change } = useListState();
  const clientId = filter('client_id');
  const client = useTypedText(clientId, (text) => change({ client_id: text }, { replace: true }));
  const sent = {
    endpoint_id: filter('endpoint_id'),
    state: filter('state'),
    event: filter('event'),
    message_id: filter('message_id'),
    ...timesIn(filter),
  };
  const query = useAnswer(
    'listWebhookDeliveries',
    { client_id: clientId },
    { ...sent, limit: '50', cursor },
    {
      enabled: clientId !== '',
      sent: withStart,
      inProgress: ({ webhook_deliveries }) => webhook_deliveries.some(({ state }) => isInProgress(state)),
    },
  );
  const choice = (name: string, label: string, options: readonly Option[]) => (
    <ChoiceField
      label={label}
      value={filter(name)}
      options={options}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <Page title="Webhooks">
      <List<DeliverySummary>
        title="Webhooks of a client"
        filter={
          <Filters isRequired>
            <Grid gridDefinition={Array.from({ length: 4 }, () => ({ colspan: { default: 12, s: 3 } }))}>
              <ClientField value={client.text} onChange={client.setText} />
              {choice('state', 'Status', stateOptions)}
              {choice('event', 'Event', eventOptions)}
              <TimeRange />
            </Grid>
          </Filters>
        }
        columns={columns}
        rows={clientId === '' ? [] : client.isTyping ? undefined : query.data?.webhook_deliveries}
        query={query}
        nextCursor={query.data?.next_cursor}
        isCounted
        csv={{
          name: `webhooks-of-${clientId}`,
          columns: csvColumns,
          readPage: async (page) => {
            const filters = { ...withStart(sent), ...page };
            const read = await api.get('listWebhookDeliveries', { client_id: clientId }, filters);
            return { rows: read.webhook_deliveries, next: read.next_cursor };
          },
        }}
        emptyTitle="Choose a client"
        empty="The webhooks of its messages, its test events and its notices are listed."
        isFiltered={isFiltered}
        idOf={({ delivery_id }) => delivery_id}
      />
    </Page>
  );
}

const any = { value: '', label: 'Any' };
const stateOptions = [any, ...webhookStates.map((value) => ({ value, label: nameOf(value) }))];
const eventOptions = [any, ...eventNames.map((value) => ({ value }))];

const columns: readonly Column<DeliverySummary>[] = [
  {
    id: 'event',
    header: 'Webhook',
    minWidth: 165,
    isRowHeader: true,
    cell: ({ event, delivery_id, attempts }) => (
      <>
        {/* The page of a webhook has its attempts. */}
        {attempts === 0 ? event : <Link href={linkTo('webhooks', delivery_id)}>{event}</Link>}
        {attempts > 1 ? (
          <Box color="text-body-secondary" fontSize="body-s">
            {attempts} attempts
          </Box>
        ) : null}
      </>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    minWidth: 140,
    cell: (row) => <DeliveryState of={row} />,
  },
  {
    id: 'at',
    header: 'Time of the event',
    minWidth: 150,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: 'to',
    header: 'Endpoint',
    minWidth: 180,
    cell: ({ url }) => <span className="id">{url}</span>,
  },
  {
    id: 'message',
    header: 'Message',
    minWidth: 150,
    cell: ({ message_id }) => (message_id === null ? '–' : <IdLink page="messages" id={message_id} />),
  },
];

const csvColumns = {
  delivery_id: (row) => row.delivery_id,
  event: (row) => row.event,
  status: (row) => row.state,
  attempts: (row) => row.attempts,
  last_status: (row) => row.last_status,
  last_error: (row) => row.last_error,
  created_at: (row) => row.created_at,
  finished_at: (row) => row.finished_at,
  next_due_at: (row) => row.next_due_at,
  endpoint_id: (row) => row.endpoint_id,
  endpoint: (row) => row.url,
  message_id: (row) => row.message_id,
} as const satisfies CsvColumns<DeliverySummary>;
