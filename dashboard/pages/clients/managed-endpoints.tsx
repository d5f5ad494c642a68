/** The webhook endpoints that a client manages itself, each with a button that sends a test event. */
import Button from '@cloudscape-design/components/button';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useMutation } from '@tanstack/react-query';
import type { EndpointSummary } from '../../../shared/admin/webhook-endpoints.ts';
import { useAnswer } from '../../api/queries.ts';
import { Copyable } from '../../components/copyable.tsx';
import { type Column, List } from '../../components/list.tsx';
import { State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { go, linkTo } from '../../route.ts';

export function ManagedEndpoints({ clientId }: { readonly clientId: string }) {
  const query = useAnswer('listWebhookEndpoints', { client_id: clientId });
  return (
    <List<EndpointSummary>
      title="Endpoints managed by the client"
      columns={[
        ...columns,
        {
          id: 'test',
          header: 'Action',
          minWidth: 140,
          cell: (row) => <SendTest clientId={clientId} endpoint={row} />,
        },
      ]}
      rows={query.data?.webhook_endpoints}
      query={query}
      empty="The client has created none; webhooks go to the URL of the account or of the request."
      idOf={({ endpoint_id }) => endpoint_id}
      csv={{
        name: `managed-endpoints-of-${clientId}`,
        columns: {
          endpoint_id: (row) => row.endpoint_id,
          url: destinationOf,
          events: (row) => row.events?.join(' '),
          enabled: (row) => row.enabled,
          disabled_reason: (row) => row.disabled_reason,
          failing_since: (row) => row.failing_since,
          created_at: (row) => row.created_at,
        },
      }}
    />
  );
}

const columns: readonly Column<EndpointSummary>[] = [
  {
    id: 'destination',
    header: 'Destination',
    minWidth: 200,
    isRowHeader: true,
    cell: (endpoint) => (
      <>
        <span className="id">{destinationOf(endpoint)}</span>
        <Copyable name="endpoint id" text={endpoint.endpoint_id} />
      </>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    minWidth: 150,
    cell: ({ enabled, disabled_reason, failing_since }) => (
      <>
        <State of={enabled ? 'enabled' : 'disabled'} />
        {disabled_reason === null ? null : <div>{disabled_reason.replaceAll('_', ' ')}</div>}
        {failing_since === null ? null : (
          <div>
            <StatusIndicator type="error">failing since</StatusIndicator> <Time at={failing_since} />
          </div>
        )}
      </>
    ),
  },
  { id: 'events', header: 'Events', minWidth: 120, cell: ({ events }) => events?.join(', ') ?? 'all' },
  { id: 'created', header: 'Created', minWidth: 150, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The URL, or the ARN of the queue or event bus. */
function destinationOf({ url, sqs, eventbridge }: EndpointSummary): string | undefined {
  return url ?? sqs?.queue_arn ?? eventbridge?.bus_arn;
}

interface SendTestProps {
  readonly clientId: string;
  readonly endpoint: EndpointSummary;
}

/** The page of the webhook shows what becomes of it. */
function SendTest({ clientId, endpoint }: SendTestProps) {
  const { endpoint_id, enabled } = endpoint;
  const { api } = useDashboard();
  const send = useMutation({
    mutationFn: () => api.send('testWebhookEndpoint', { client_id: clientId, endpoint_id }, {}),
    onSuccess: ({ delivery_id }) => go(linkTo('webhooks', delivery_id)),
  });
  return (
    <Button
      variant="inline-link"
      ariaLabel={`Send test event to ${destinationOf(endpoint)}`}
      disabled={!enabled}
      loading={send.isPending}
      onClick={() => send.mutate()}
    >
      Send test event
    </Button>
  );
}
