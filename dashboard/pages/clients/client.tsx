/** One client: settings, secrets, API keys, and its limits with what is used of them. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ApiKeyView } from '../../../shared/admin/client-views.ts';
import { useChange } from '../../api/change.ts';
import { useResponse } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { useConfirm } from '../../components/confirm-dialog.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { List } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Section } from '../../components/section.tsx';
import { State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo } from '../../route.ts';
import { ClientSettings } from './client-settings.tsx';
import { LimitsInForce } from './limits-in-force.tsx';
import { ManagedEndpoints } from './managed-endpoints.tsx';
import { Suppressions } from './suppressions.tsx';
import { WebhookEndpoints } from './webhook-endpoints.tsx';

export function ClientPage({ id }: { readonly id: string }) {
  const { api, showSecrets } = useDashboard();
  const path = { client_id: id };
  const query = useResponse('showClient', path);
  const { confirm, dialog } = useConfirm();
  const client = query.data;
  const showSecret = (label: string, value: string): void =>
    showSecrets({ title: 'New secret', secrets: [{ label, value }] });
  const createKey = useChange({
    mutationFn: () => api.send('createApiKey', path),
    onSuccess: ({ api_key }) => showSecret('API key', api_key),
  });

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
  const rotateSecret = (): void =>
    confirm({
      title: 'Rotate the client secret?',
      text: 'The current secret stays valid for 24 hours, or until you end it.',
      action: 'Rotate',
      work: async () => {
        const { client_secret } = await api.send('rotateClientSecret', path);
        showSecret('Client secret', client_secret);
      },
    });
  const endPreviousSecret = (): void =>
    confirm({
      title: 'End the previous client secret?',
      text: 'It is rejected within 60 seconds. Tokens that were requested with it are valid for up to an hour.',
      action: 'End secret',
      work: () => api.send('endPreviousSecret', path),
      done: 'Previous client secret ended.',
    });
  const rotateWebhookSecret = (): void =>
    confirm({
      title: 'Rotate the webhook secret?',
      text: 'The new secret takes effect after 60 seconds. Webhooks are also signed with the current secret for another 24 hours.',
      action: 'Rotate',
      work: async () => {
        const { webhook_secret, active_at } = await api.send('rotateWebhookSecret', path);
        showSecret(`Webhook secret, active from ${active_at}`, webhook_secret);
      },
    });
  const revoke = (keyId: string): void =>
    confirm({
      title: `Revoke ${keyId}?`,
      text: 'Requests with this key are rejected within 60 seconds. You cannot undo this action.',
      action: 'Revoke',
      work: () => api.send('revokeApiKey', { ...path, key_id: keyId }),
      done: `${keyId} revoked.`,
    });

  return (
    <Page
      title={client?.name ?? 'Client'}
      description={<Copyable name="client id" text={id} />}
      query={query}
      actions={
        client === undefined ? null : (
          <SpaceBetween direction="horizontal" size="xs">
            <Button href={linkTo('messages', undefined, { client_id: id })}>Messages</Button>
            <Button href={linkTo('webhooks', undefined, { client_id: id })}>Webhooks</Button>
            <Button href={linkTo('limits', id)}>Limits</Button>
            <Button onClick={() => setDisabled(!client.disabled, client.name)}>
              {client.disabled ? 'Enable' : 'Disable'}
            </Button>
          </SpaceBetween>
        )
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <SpaceBetween size="l">
            {loaded.invalid.length === 0 ? null : (
              <Alert type="error">
                Its row in the table clients is malformed: {loaded.invalid.join(', ')}. A wrong name, time or
                URL is ignored; anything else refuses its requests (403) until it is corrected.
              </Alert>
            )}
            <ClientSettings client={loaded} />
            <Section
              title="Secrets"
              actions={
                <SpaceBetween direction="horizontal" size="xs">
                  {loaded.secrets.length > 1 ? (
                    <Button onClick={endPreviousSecret}>End previous client secret</Button>
                  ) : null}
                  <Button onClick={rotateSecret}>Rotate client secret</Button>
                  <Button onClick={rotateWebhookSecret}>Rotate webhook secret</Button>
                </SpaceBetween>
              }
            >
              <SpaceBetween size="xs">
                {loaded.secrets.map((one) => (
                  <Box key={one.created_at}>
                    Client secret, created <Time at={one.created_at} />
                    {one.expires_at === null ? null : (
                      <>
                        , valid until <Time at={one.expires_at} />
                      </>
                    )}
                  </Box>
                ))}
              </SpaceBetween>
            </Section>
            <List
              title="API keys"
              description="For programs that cannot request tokens."
              actions={
                <Button loading={createKey.isPending} onClick={() => createKey.mutate()}>
                  Create API key
                </Button>
              }
              columns={keyColumns(revoke)}
              rows={loaded.api_keys}
              empty="The client has no API keys."
              idOf={(key) => key.key_id}
              csvName={`api-keys-of-${id}`}
            />
            <Suppressions clientId={id} />
            <WebhookEndpoints clientId={id} />
            <ManagedEndpoints clientId={id} />
            <LimitsInForce clientId={id} />
          </SpaceBetween>
        )}
      </Loaded>
      {dialog}
    </Page>
  );
}

function keyColumns(revoke: (keyId: string) => void): readonly Column<ApiKeyView>[] {
  return [
    {
      title: 'Key id',
      field: 'key_id',
      minWidth: 220,
      cell: ({ key_id }) => <Copyable name={key_id} text={key_id} />,
    },
    { title: 'Created', field: 'created_at', minWidth: 150, isTime: true },
    {
      title: 'Status',
      minWidth: 110,
      cell: ({ revoked_at }) => <State of={revoked_at === null ? 'enabled' : 'revoked'} />,
    },
    {
      title: 'Action',
      field: 'revoked_at',
      minWidth: 150,
      cell: ({ key_id, revoked_at }) =>
        revoked_at === null ? (
          <RowAction text="Revoke" of={key_id} onClick={() => revoke(key_id)} />
        ) : (
          <Time at={revoked_at} />
        ),
    },
  ];
}
