/** The webhook endpoints that a client manages itself, each with a button that sends a test event. */

import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { useChange, useResponse } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { List, RowAction } from '../../components/list.tsx';
import { State } from '../../components/state.tsx';
import { Copyable } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { go, linkTo } from '../../route.ts';

export function ManagedEndpoints({ clientId }: { readonly clientId: string }) {
  const query = useResponse('listWebhookEndpoints', { client_id: clientId });
  return (
    <List<RowOf<'listWebhookEndpoints', 'webhook_endpoints'>>
      title="Endpoints managed by the client"
      columns={[
        ...columns,
        { title: 'Action', minWidth: 140, cell: (row) => <SendTest clientId={clientId} endpoint={row} /> },
      ]}
      rows={query.data?.webhook_endpoints}
      query={query}
      empty="The client has created none; webhooks go to the URL of the account or of the request."
      idOf={({ endpoint_id }) => endpoint_id}
    />
  );
}

const columns: readonly Column<RowOf<'listWebhookEndpoints', 'webhook_endpoints'>>[] = [
  {
    title: 'Destination',
    field: 'endpoint_id',
    minWidth: 200,
    cell: (endpoint) => (
      <>
        <span className="id">{destinationOf(endpoint)}</span>
        <Copyable name="endpoint id" text={endpoint.endpoint_id} />
      </>
    ),
  },
  {
    title: 'Status',
    field: 'enabled',
    minWidth: 150,
    cell: ({ enabled, disabled_reason, failing_since }) => (
      <>
        <State of={enabled ? 'enabled' : 'disabled'} />
        {disabled_reason === null ? null : <div>{disabled_reason.replaceAll('_', ' ')}</div>}
        {/* The list above shows since when the endpoint fails. */}
        {failing_since === null ? null : (
          <div>
            <StatusIndicator type="error">failing</StatusIndicator>
          </div>
        )}
      </>
    ),
  },
  {
    title: 'Events',
    minWidth: 120,
    cell: ({ events }) => events?.join(', ') ?? 'all',
  },
  {
    title: 'Time limit',
    minWidth: 100,
    cell: ({ timeout_seconds }) => (timeout_seconds === null ? '–' : `${timeout_seconds} s`),
  },
  { title: 'Created', field: 'created_at', minWidth: 150, isTime: true },
];

/** Returns the URL, or the ARN of the queue or event bus. */
function destinationOf({
  url,
  sqs,
  eventbridge,
}: RowOf<'listWebhookEndpoints', 'webhook_endpoints'>): string {
  return url ?? sqs?.queue_arn ?? eventbridge?.bus_arn ?? '–';
}

function SendTest({
  clientId,
  endpoint,
}: {
  readonly clientId: string;
  readonly endpoint: RowOf<'listWebhookEndpoints', 'webhook_endpoints'>;
}) {
  const { endpoint_id, enabled } = endpoint;
  const { api } = useDashboard();
  const send = useChange({
    mutationFn: () => api.send('testWebhookEndpoint', { client_id: clientId, endpoint_id }, {}),
  });
  // Opens the webhook's page, which shows the result, unless the user has opened another page.
  const onSuccess = ({ delivery_id }: ResponseOf<'testWebhookEndpoint'>): void =>
    go(linkTo('webhooks', delivery_id));
  return (
    <RowAction
      text="Send test event"
      of={destinationOf(endpoint)}
      isDisabled={!enabled}
      isPending={send.isPending}
      onClick={() => send.mutate(undefined, { onSuccess })}
    />
  );
}
