/** One message: its history and webhooks. */
import Container from '@cloudscape-design/components/container';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import type { MessageDetails } from '../../shared/admin/messages.ts';
import type { DeliverySummary } from '../../shared/admin/webhooks.ts';
import { useLoaded } from '../api/use-loading.ts';
import { List } from '../components/list.tsx';
import { LoadFailure } from '../components/load-failure.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useDashboard } from '../context.ts';
import { linkTo } from '../route.ts';

export function MessagePage({ id }: { readonly id: string }) {
  const { api } = useDashboard();
  const loaded = useLoaded<MessageDetails>(id, () => api.get(`/messages/${encodeURIComponent(id)}`));
  const details = loaded.data;
  return (
    <ContentLayout
      header={
        <Header variant="h1" description={id}>
          Message
        </Header>
      }
    >
      {loaded.error === undefined ? null : <LoadFailure error={loaded.error} onRetry={loaded.reload} />}
      {details === undefined ? (
        loaded.loading && <Spinner />
      ) : (
        <SpaceBetween size="l">
          <Facts message={details.message} />
          <List
            label="History"
            header={<Header variant="h2">History</Header>}
            columns={[
              {
                id: 'status',
                header: 'State',
                isRowHeader: true,
                cell: ({ status }) => <State of={status} />,
              },
              { id: 'at', header: 'Since', cell: ({ at }) => <Time at={at} /> },
            ]}
            rows={details.message.history}
            loading={false}
            error={undefined}
            onRetry={loaded.reload}
            empty="No history"
            idOf={({ status }) => status}
          />
          <List<DeliverySummary>
            label="Webhooks"
            header={<Header variant="h2">Webhooks</Header>}
            columns={[
              {
                id: 'event',
                header: 'Event',
                minWidth: 130,
                isRowHeader: true,
                cell: (row) => <Link href={linkTo('webhooks', row.delivery_id)}>{row.event}</Link>,
              },
              { id: 'state', header: 'State', minWidth: 140, cell: (row) => <State of={row.state} /> },
              { id: 'attempts', header: 'Attempts', minWidth: 100, cell: (row) => row.attempts },
              { id: 'url', header: 'To', minWidth: 220, cell: (row) => row.url },
            ]}
            rows={details.webhooks}
            loading={false}
            error={undefined}
            onRetry={loaded.reload}
            empty="No webhooks: neither the request nor the account has a URL."
            idOf={(row) => row.delivery_id}
          />
        </SpaceBetween>
      )}
    </ContentLayout>
  );
}

function Facts({ message }: { readonly message: MessageDetails['message'] }) {
  const cost = message.cost === null ? '–' : `${message.cost} ${message.currency ?? ''}`;
  const error = message.error === null ? '–' : `${message.error.code}: ${message.error.message ?? ''}`;
  return (
    <Container header={<Header variant="h2">Message</Header>}>
      <KeyValuePairs
        columns={3}
        items={[
          { label: 'State', value: <State of={message.status} /> },
          { label: 'Recipient', value: message.recipient },
          { label: 'From', value: message.from ?? '–' },
          { label: 'Channel', value: message.channel },
          { label: 'Segments', value: `${message.segments ?? '–'} ${message.encoding ?? ''}` },
          { label: 'Cost', value: cost },
          { label: 'Reference', value: message.reference ?? '–' },
          {
            label: 'Client',
            value: <Link href={linkTo('clients', message.client_id)}>{message.client_id}</Link>,
          },
          { label: 'Webhook URL of the request', value: message.webhook_url ?? '–' },
          { label: 'Valid until', value: <Time at={message.expires_at} /> },
          { label: 'Error', value: error },
        ]}
      />
    </Container>
  );
}
