/** The health of a client's webhook endpoints: if they fail, since when, and the number of waiting webhooks. */

import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import type { ResendView } from '../../../shared/webhook/webhook-response.schema.ts';
import { useResponse } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { List, RowAction } from '../../components/list.tsx';
import { Time } from '../../components/text.tsx';
import { linkTo } from '../../route.ts';
import { ResendSince, ResendState } from './resend-since.tsx';

export function WebhookEndpoints({ clientId }: { readonly clientId: string }) {
  const query = useResponse('showWebhookHealth', { client_id: clientId });
  // The selected row is stored, because it can leave the list while the dialog is open.
  const [chosen, setChosen] = useState<RowOf<'showWebhookHealth', 'endpoints'>>();
  const [resends, setResends] = useState<readonly ResendView[]>([]);
  return (
    <SpaceBetween size="l">
      {resends.map((started) => (
        <ResendState key={started.resend_id} clientId={clientId} started={started} />
      ))}
      <List<RowOf<'showWebhookHealth', 'endpoints'>>
        title="Webhook endpoints"
        description="Endpoints of the latest 100 webhooks, and all with webhooks that failed."
        actions={
          <SpaceBetween direction="horizontal" size="s">
            <Link href={linkTo('webhooks', undefined, { client_id: clientId })}>All webhooks</Link>
            <Link href={linkTo('activity', 'webhooks', { client_id: clientId })}>Failed webhooks</Link>
          </SpaceBetween>
        }
        columns={[
          ...columns,
          {
            title: 'Action',
            minWidth: 160,
            cell: (row) => (
              <RowAction text="Resend all since…" of={row.origin} onClick={() => setChosen(row)} />
            ),
          },
        ]}
        rows={query.data?.endpoints}
        query={query}
        empty="This client has no webhooks."
        idOf={({ origin }) => origin}
      />
      {chosen === undefined ? null : (
        <ResendSince
          clientId={clientId}
          origin={chosen.origin}
          failingSince={chosen.since}
          // A repeated request returns the same resend.
          onStarted={(started) =>
            setResends((shown) => [
              ...shown.filter(({ resend_id }) => resend_id !== started.resend_id),
              started,
            ])
          }
          onClose={() => setChosen(undefined)}
        />
      )}
    </SpaceBetween>
  );
}

const columns: readonly Column<RowOf<'showWebhookHealth', 'endpoints'>>[] = [
  { title: 'Endpoint', field: 'origin', minWidth: 170 },
  {
    title: 'Health',
    field: 'since',
    minWidth: 190,
    cell: (row) => <Health {...row} />,
  },
  { title: 'Waiting', field: 'waiting', minWidth: 90 },
  { title: 'Failed', field: 'failed', minWidth: 90 },
];

function Health({ is_failing, since, last_error }: RowOf<'showWebhookHealth', 'endpoints'>) {
  if (is_failing === false) return <StatusIndicator type="success">healthy</StatusIndicator>;
  if (since === null) return <StatusIndicator type="pending">not called yet</StatusIndicator>;
  return (
    <>
      <StatusIndicator type="error">
        {/* If an endpoint has no recent webhooks, its current state is unknown. */}
        {is_failing === null ? 'failed' : 'failing'}
        {last_error === null ? '' : ` (${last_error})`} since
      </StatusIndicator>{' '}
      <Time at={since} />
    </>
  );
}
