/** One client: settings, secrets and API keys. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useState } from 'react';
import type { ApiKeyView, ClientView } from '../../shared/admin/client-views.ts';
import { sentence, useLoaded } from '../api/use-loading.ts';
import { type Confirmation, ConfirmDialog } from '../components/confirm-dialog.tsx';
import { List } from '../components/list.tsx';
import { LoadFailure } from '../components/load-failure.tsx';
import { Permissions } from '../components/permissions.tsx';
import { type Secret, Secrets } from '../components/secret.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { WebhookUrl } from '../components/webhook-url.tsx';
import { useDashboard } from '../context.ts';
import { linkTo } from '../route.ts';

type Details = ClientView & { readonly api_keys: readonly ApiKeyView[] };

export function ClientPage({ id }: { readonly id: string }) {
  const { api, notify } = useDashboard();
  const path = `/clients/${encodeURIComponent(id)}`;
  const loaded = useLoaded<Details>(id, () => api.get(path));
  const [question, setQuestion] = useState<Confirmation>();
  const [secret, setSecret] = useState<Secret>();
  const client = loaded.data;

  const ask = (asked: Omit<Confirmation, 'onYes'>, work: () => Promise<void>): void =>
    setQuestion({
      ...asked,
      onYes: async () => {
        try {
          await work();
          loaded.reload();
        } catch (error) {
          notify('error', sentence(error));
        } finally {
          setQuestion(undefined);
        }
      },
    });

  const setDisabled = (disabled: boolean) => async (): Promise<void> => {
    await api.send('PATCH', path, { disabled });
    notify('success', disabled ? 'The client is disabled.' : 'The client is enabled.');
  };
  const renew = (kind: 'secret' | 'webhook-secret') => async (): Promise<void> => {
    const made = await api.send<{ client_secret?: string; webhook_secret?: string; active_at?: string }>(
      'POST',
      `${path}/${kind}`,
    );
    const label =
      kind === 'secret' ? 'Client secret' : `Webhook secret, active from ${made.active_at ?? 'now'}`;
    setSecret({ label, value: made.client_secret ?? made.webhook_secret ?? '' });
  };
  const createKey = async (): Promise<void> => {
    try {
      const { api_key } = await api.send<{ api_key: string }>('POST', `${path}/api-keys`);
      setSecret({ label: 'API key', value: api_key });
      loaded.reload();
    } catch (error) {
      notify('error', sentence(error));
    }
  };

  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description={id}
          actions={
            client === undefined ? null : (
              <SpaceBetween direction="horizontal" size="xs">
                <Button href={linkTo('messages', undefined, { client_id: id })}>Messages</Button>
                <Button href={linkTo('limits', id)}>Limits</Button>
                <Button
                  onClick={() =>
                    client.disabled
                      ? ask(questions.enable(client.name), setDisabled(false))
                      : ask(questions.disable(client.name), setDisabled(true))
                  }
                >
                  {client.disabled ? 'Enable' : 'Disable'}
                </Button>
              </SpaceBetween>
            )
          }
        >
          {client?.name ?? 'Client'}
        </Header>
      }
    >
      {loaded.error === undefined ? null : <LoadFailure error={loaded.error} onRetry={loaded.reload} />}
      {client === undefined ? (
        loaded.loading && <Spinner />
      ) : (
        <SpaceBetween size="l">
          <Container header={<Header variant="h2">Settings</Header>}>
            <SpaceBetween size="l">
              <KeyValuePairs
                columns={4}
                items={[
                  { label: 'State', value: <State of={client.disabled ? 'disabled' : 'enabled'} /> },
                  { label: 'Scopes', value: client.scopes.join(', ') },
                  { label: 'Created', value: <Time at={client.created_at} /> },
                  {
                    label: 'Changes',
                    value: (
                      <Link href={linkTo('activity', undefined, { client_id: id, kind: 'all' })}>
                        Activity
                      </Link>
                    ),
                  },
                ]}
              />
              <WebhookUrl path={path} value={client.webhook_url} onSaved={loaded.reload} />
              <Permissions
                path={path}
                countries={client.countries}
                senders={client.senders}
                onSaved={loaded.reload}
              />
            </SpaceBetween>
          </Container>
          <Container
            header={
              <Header
                variant="h2"
                actions={
                  <SpaceBetween direction="horizontal" size="xs">
                    <Button onClick={() => ask(questions.secret, renew('secret'))}>New client secret</Button>
                    <Button onClick={() => ask(questions.webhookSecret, renew('webhook-secret'))}>
                      New webhook secret
                    </Button>
                  </SpaceBetween>
                }
              >
                Secrets
              </Header>
            }
          >
            <SpaceBetween size="xs">
              {client.secrets.map((one) => (
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
          </Container>
          <List<ApiKeyView>
            label="API keys"
            header={
              <Header
                variant="h2"
                description="For programs that cannot request tokens."
                actions={<Button onClick={() => void createKey()}>Create API key</Button>}
              >
                API keys
              </Header>
            }
            columns={[
              { id: 'id', header: 'Key id', isRowHeader: true, cell: (key) => key.key_id },
              { id: 'created', header: 'Created', cell: (key) => <Time at={key.created_at} /> },
              {
                id: 'state',
                header: 'State',
                cell: (key) => <State of={key.revoked_at === null ? 'enabled' : 'revoked'} />,
              },
              {
                id: 'revoke',
                header: 'Action',
                cell: (key) =>
                  key.revoked_at === null ? (
                    <Button
                      variant="inline-link"
                      ariaLabel={`Revoke ${key.key_id}`}
                      onClick={() =>
                        ask(questions.revoke(key.key_id), async () => {
                          await api.send('DELETE', `${path}/api-keys/${encodeURIComponent(key.key_id)}`);
                          notify('success', `${key.key_id} is revoked.`);
                        })
                      }
                    >
                      Revoke
                    </Button>
                  ) : (
                    <Time at={key.revoked_at} />
                  ),
              },
            ]}
            rows={client.api_keys}
            loading={false}
            error={undefined}
            onRetry={loaded.reload}
            empty="No API keys"
            idOf={(key) => key.key_id}
          />
        </SpaceBetween>
      )}
      {question === undefined ? null : <ConfirmDialog {...question} onNo={() => setQuestion(undefined)} />}
      {secret === undefined ? null : (
        <Secrets title="New secret" secrets={[secret]} onDone={() => setSecret(undefined)} />
      )}
    </ContentLayout>
  );
}

const questions = {
  disable: (name: string) => ({
    title: `Disable ${name}?`,
    text: 'Its requests are refused within 60 seconds, also with valid tokens. Messages already accepted are still sent.',
    yes: 'Disable',
  }),
  enable: (name: string) => ({
    title: `Enable ${name}?`,
    text: 'Its requests are accepted again.',
    yes: 'Enable',
  }),
  revoke: (keyId: string) => ({
    title: `Revoke ${keyId}?`,
    text: 'Requests with this key are refused within 60 seconds. This cannot be undone.',
    yes: 'Revoke',
  }),
  secret: {
    title: 'Create a new client secret?',
    text: 'The current one stays valid for 24 hours. An older one ends now.',
    yes: 'Create',
  },
  webhookSecret: {
    title: 'Create a new webhook secret?',
    text: 'It signs from 60 seconds on. The current one also signs for 24 hours more.',
    yes: 'Create',
  },
};
