/** All webhooks of one client, newest message first. Failed webhooks are sorted by their last failure. */
import Link from '@cloudscape-design/components/link';
import { eventNames } from '../../../shared/contract/webhook-events.ts';
import type { DeliverySummary } from '../../../shared/webhook/webhook-response.schema.ts';
import { usePagedAnswer } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { ChoiceFilter, Fields, Filters, TimeFilter, useClientFilter } from '../../components/filters.tsx';
import { List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { deliveryStateColumn, isInProgress, webhookStates } from '../../components/state.tsx';
import { IdLink, Secondary } from '../../components/text.tsx';
import { linkTo, useListState } from '../../route.ts';
import { nameOf } from '../../value-names.ts';

const stateOptions = webhookStates.map((value) => ({ value, label: nameOf(value) }));
const eventOptions = eventNames.map((value) => ({ value }));

export function WebhooksPage() {
  const { client_id: clientId = '', ...filters } = useListState().filters;
  const client = useClientFilter();
  const path = { client_id: clientId };
  const list = usePagedAnswer('listWebhookDeliveries', path, filters, 'webhook_deliveries', {
    enabled: clientId !== '',
    inProgress: ({ webhook_deliveries }) => webhook_deliveries.some(({ state }) => isInProgress(state)),
  });
  return (
    <Page title="Webhooks">
      <List
        {...list}
        title="Webhooks of a client"
        filter={
          <Filters isRequired>
            <Fields perRow={4}>
              {client.field}
              <ChoiceFilter name="state" label="Status" options={stateOptions} />
              <ChoiceFilter name="event" label="Event" options={eventOptions} />
              <TimeFilter />
            </Fields>
          </Filters>
        }
        columns={columns}
        rows={client.isTyping ? undefined : list.rows}
        emptyTitle="Choose a client"
        empty="The webhooks of its messages, its test events and its notices are listed."
        isFiltered={clientId !== ''}
        idOf={({ delivery_id }) => delivery_id}
      />
    </Page>
  );
}

const columns: readonly Column<DeliverySummary>[] = [
  {
    title: 'Webhook',
    field: 'event',
    minWidth: 165,
    cell: ({ event, delivery_id, attempts }) => (
      <>
        <Link href={linkTo('webhooks', delivery_id)}>{event}</Link>
        {attempts > 1 ? <Secondary>{attempts} attempts</Secondary> : null}
      </>
    ),
  },
  deliveryStateColumn,
  { title: 'Time of the event', field: 'created_at', minWidth: 150, isTime: true },
  { title: 'Endpoint', field: 'url', minWidth: 180 },
  {
    title: 'Message',
    field: 'message_id',
    minWidth: 150,
    cell: ({ message_id }) => (message_id === null ? '–' : <IdLink page="messages" id={message_id} />),
  },
];
