/** One client: its present problems, and tabs for settings, credentials, webhooks, limits and suppressions. */

import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Tabs from '@cloudscape-design/components/tabs';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { modeOf } from '../../../shared/contract/mode.ts';
import { useResponse } from '../../api/queries.ts';
import { AllowOtps } from '../../components/allow-otps.tsx';
import { ClientLimits } from '../../components/client-limits.tsx';
import { useConfirm } from '../../components/form.tsx';
import { Loaded, LoadFailure } from '../../components/loaded.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Copyable, withLocalTimes } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { go, linkTo, useListState } from '../../route.ts';
import { ClientSettings } from './client-settings.tsx';
import { Credentials } from './credentials.tsx';
import { ManagedEndpoints } from './managed-endpoints.tsx';
import { Suppressions } from './suppressions.tsx';
import { WebhookEndpoints } from './webhook-endpoints.tsx';

export function ClientPage({ id }: { readonly id: string }) {
  const { api } = useDashboard();
  const path = { client_id: id };
  const query = useResponse('showClient', path);
  const { confirm, dialog } = useConfirm();
  const client = query.data;
  const setDisabled = (disabled: boolean, name: string): void =>
    confirm({
      ...(disabled
        ? {
            title: `Disable ${name}?`,
            text: 'Its requests are rejected within 60 seconds, even with valid tokens. Messages that are scheduled or queued fail with client_disabled when they are due; enabling the client does not send them.',
            action: 'Disable',
            done: 'Client disabled.',
          }
        : {
            title: `Enable ${name}?`,
            text: 'Its requests will be accepted again.',
            action: 'Enable',
            done: 'Client enabled.',
          }),
      work: () => api.send('changeClient', path, { disabled }),
    });
  return (
    <Page
      title={client?.name ?? 'Client'}
      description={<Copyable name="client id" text={id} />}
      query={query}
      clientId={client?.client_id}
      actions={
        client === undefined ? null : (
          <SpaceBetween direction="horizontal" size="xs">
            <Button href={linkTo('messages', undefined, { client_id: id })}>Messages</Button>
            <Button href={linkTo('webhooks', undefined, { client_id: id })}>Webhooks</Button>
            <Button href={linkTo('limits', id)}>Edit limits</Button>
            {modeOf(id) === 'test' ? null : (
              <Button onClick={() => setDisabled(!client.disabled, client.name)}>
                {client.disabled ? 'Enable' : 'Disable'}
              </Button>
            )}
          </SpaceBetween>
        )
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <SpaceBetween size="l">
            <Findings clientId={id} />
            <ClientTabs clientId={id} client={loaded} />
          </SpaceBetween>
        )}
      </Loaded>
      {dialog}
    </Page>
  );
}

function ClientTabs({ clientId, client }: { clientId: string; client: ResponseOf<'showClient'> }) {
  const { filter, tab } = useListState();
  const tabs = [
    { id: 'settings', label: 'Settings', content: () => <ClientSettings client={client} /> },
    { id: 'credentials', label: 'Credentials', content: () => <Credentials client={client} /> },
    {
      id: 'webhooks',
      label: 'Webhooks',
      content: () => (
        <SpaceBetween size="l">
          <WebhookEndpoints clientId={clientId} />
          <ManagedEndpoints clientId={clientId} />
        </SpaceBetween>
      ),
    },
    { id: 'limits', label: 'Limits', content: () => <ClientLimits clientId={clientId} /> },
    { id: 'suppressions', label: 'Suppressions', content: () => <Suppressions clientId={clientId} /> },
  ];
  // A link that contains a recipient opens the tab with the suppressions.
  const wanted = tab || (filter('recipient') === '' ? 'settings' : 'suppressions');
  const active = tabs.some(({ id }) => id === wanted) ? wanted : 'settings';
  return (
    <Tabs
      ariaLabel="Parts of the client"
      activeTabId={active}
      onChange={({ detail }) => go(detail.activeTabHref ?? linkTo('clients', clientId))}
      tabs={tabs.map(({ id, label, content }) => ({
        id,
        label,
        href: linkTo('clients', clientId, { tab: id }),
        content: id === active ? content() : null,
      }))}
    />
  );
}

/** Shows the present problems of a client (see `doctor`), each with a link to its solution. */
function Findings({ clientId }: { readonly clientId: string }) {
  // This response is expensive and changes slowly.
  const slowly = { refreshEveryMs: 60_000 };
  const query = useResponse('diagnoseClient', { client_id: clientId }, undefined, slowly);
  const { data, error } = query;
  if (error !== null) return <LoadFailure query={query} />;
  if (data === undefined) return <StatusIndicator type="loading">Looking for problems</StatusIndicator>;
  if (data.findings.length === 0)
    return <StatusIndicator type="success">No problem was found.</StatusIndicator>;
  return (
    <Section title="Needs attention">
      <SpaceBetween size="xs">
        {data.findings.map((finding) => (
          <div key={finding.message}>
            <StatusIndicator type={finding.severity === 'problem' ? 'error' : 'warning'}>
              <span className="sentence">{withLocalTimes(finding.message)}</span>
            </StatusIndicator>{' '}
            <Remedy clientId={clientId} finding={finding} />
          </div>
        ))}
      </SpaceBetween>
    </Section>
  );
}

function Remedy({ clientId, finding }: { clientId: string; finding: RowOf<'diagnoseClient', 'findings'> }) {
  const { about, country } = finding;
  if (country !== undefined) return <AllowOtps clientId={clientId} country={country} />;
  const tab = (name: string): string => linkTo('clients', clientId, { tab: name });
  const remedies: Partial<Record<RowOf<'diagnoseClient', 'findings'>['about'], readonly [string, string]>> = {
    webhooks: ['Show endpoints', tab('webhooks')],
    limits: ['Show limits', tab('limits')],
    caps: ['Show what is used', tab('limits')],
    messages: ['Show messages', linkTo('messages', undefined, { client_id: clientId, status: 'failed' })],
  };
  const [text, href] = remedies[about] ?? ['Show credentials', tab('credentials')];
  return <Link href={href}>{text}</Link>;
}
