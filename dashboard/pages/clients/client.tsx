/** One client: settings, secrets, API keys, and its limits with what is used of them. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKeyView } from '../../../shared/admin/client-views.ts';
import type { Answer } from '../../api/client.ts';
import { useAbout, useAnswer } from '../../api/queries.ts';
import { type Confirmation, ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { List } from '../../components/list.tsx';
import { Loaded, Refresh } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { type Secret, Secrets } from '../../components/secrets.tsx';
import { State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo } from '../../route.ts';
import { LimitsInForce } from './limits-in-force.tsx';
import { ManagedEndpoints } from './managed-endpoints.tsx';
import { Permissions } from './permissions.tsx';
import { Suppressions } from './suppressions.tsx';
import { WebhookEndpoints } from './webhook-endpoints.tsx';
import { WebhookUrl } from './webhook-url.tsx';

interface Question extends Confirmation {
  readonly work: () => Promise<unknown>;
}

export function ClientPage({ id }: { readonly id: string }) {
  const { api, notify } = useDashboard();
  const path = { client_id: id };
  const query = useAnswer('showClient', path);
  const [question, setQuestion] = useState<Question>();
  const [secret, setSecret] = useState<Secret>();
  const client = query.data;
  const change = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSettled: () => setQuestion(undefined),
  });

  const setDisabled = (disabled: boolean) => async () => {
    await api.send('changeClient', path, { disabled });
    notify('success', disabled ? 'Client disabled.' : 'Client enabled.');
  };
  const rotateSecret = async () => {
    const { client_secret } = await api.send('rotateClientSecret', path);
    setSecret({ label: 'Client secret', value: client_secret });
  };
  const rotateWebhookSecret = async () => {
    const { webhook_secret, active_at } = await api.send('rotateWebhookSecret', path);
    setSecret({ label: `Webhook secret, active from ${active_at}`, value: webhook_secret });
  };
  const createKey = async () => {
    const { api_key } = await api.send('createApiKey', path);
    setSecret({ label: 'API key', value: api_key });
  };
  const revoke = (keyId: string) => async () => {
    await api.send('revokeApiKey', { ...path, key_id: keyId });
    notify('success', `${keyId} revoked.`);
  };

  return (
    <Page
      title={client?.name ?? 'Client'}
      description={<Copyable name="client id" text={id} />}
      actions={
        client === undefined ? null : (
          <SpaceBetween direction="horizontal" size="xs" alignItems="center">
            <Refresh query={query} />
            <Button href={linkTo('messages', undefined, { client_id: id })}>Messages</Button>
            <Button href={linkTo('webhooks', undefined, { client_id: id })}>Webhooks</Button>
            <Button href={linkTo('limits', id)}>Limits</Button>
            <Button
              onClick={() =>
                setQuestion(
                  client.disabled
                    ? { ...questions.enable(client.name), work: setDisabled(false) }
                    : { ...questions.disable(client.name), work: setDisabled(true) },
                )
              }
            >
              {client.disabled ? 'Enable' : 'Disable'}
            </Button>
          </SpaceBetween>
        )
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <SpaceBetween size="l">
            <Settings client={loaded} />
            <Container
              header={
                <Header
                  variant="h2"
                  actions={
                    <SpaceBetween direction="horizontal" size="xs">
                      <Button onClick={() => setQuestion({ ...questions.secret, work: rotateSecret })}>
                        Rotate client secret
                      </Button>
                      <Button
                        onClick={() => setQuestion({ ...questions.webhookSecret, work: rotateWebhookSecret })}
                      >
                        Rotate webhook secret
                      </Button>
                    </SpaceBetween>
                  }
                >
                  Secrets
                </Header>
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
            </Container>
            <List<ApiKeyView>
              title="API keys"
              description="For programs that cannot request tokens."
              actions={
                <Button
                  loading={change.isPending && question === undefined}
                  onClick={() => change.mutate(createKey)}
                >
                  Create API key
                </Button>
              }
              columns={[
                {
                  id: 'id',
                  header: 'Key id',
                  minWidth: 220,
                  isRowHeader: true,
                  cell: (key) => <Copyable name={key.key_id} text={key.key_id} />,
                },
                {
                  id: 'created',
                  header: 'Created',
                  minWidth: 150,
                  cell: (key) => <Time at={key.created_at} />,
                },
                {
                  id: 'state',
                  header: 'Status',
                  minWidth: 110,
                  cell: (key) => <State of={key.revoked_at === null ? 'enabled' : 'revoked'} />,
                },
                {
                  id: 'revoke',
                  header: 'Action',
                  minWidth: 150,
                  cell: (key) =>
                    key.revoked_at === null ? (
                      <Button
                        variant="inline-link"
                        ariaLabel={`Revoke ${key.key_id}`}
                        onClick={() =>
                          setQuestion({ ...questions.revoke(key.key_id), work: revoke(key.key_id) })
                        }
                      >
                        Revoke
                      </Button>
                    ) : (
                      <Time at={key.revoked_at} />
                    ),
                },
              ]}
              rows={loaded.api_keys}
              empty="The client has no API keys."
              idOf={(key) => key.key_id}
              csv={{
                name: `api-keys-of-${id}`,
                columns: {
                  key_id: (key) => key.key_id,
                  created_at: (key) => key.created_at,
                  revoked_at: (key) => key.revoked_at,
                },
              }}
            />
            <Suppressions clientId={id} />
            <WebhookEndpoints clientId={id} />
            <ManagedEndpoints clientId={id} />
            <LimitsInForce clientId={id} />
          </SpaceBetween>
        )}
      </Loaded>
      {question === undefined ? null : (
        <ConfirmDialog
          {...question}
          isBusy={change.isPending}
          onConfirm={() => change.mutate(question.work)}
          onDismiss={() => setQuestion(undefined)}
        />
      )}
      {secret === undefined ? null : (
        <Secrets title="New secret" secrets={[secret]} onDone={() => setSecret(undefined)} />
      )}
    </Page>
  );
}

function Settings({ client }: { readonly client: Answer<'showClient'> }) {
  const about = useAbout();
  return (
    <Container header={<Header variant="h2">Settings</Header>}>
      <SpaceBetween size="l">
        <KeyValuePairs
          columns={4}
          items={[
            { label: 'Status', value: <State of={client.disabled ? 'disabled' : 'enabled'} /> },
            { label: 'Scopes', value: client.scopes.join(', ') },
            { label: 'Created', value: <Time at={client.created_at} /> },
            {
              label: 'Changes',
              value: (
                <Link href={linkTo('activity', undefined, { client_id: client.client_id, kind: 'all' })}>
                  Activity Logs
                </Link>
              ),
            },
          ]}
        />
        <WebhookUrl clientId={client.client_id} value={client.webhook_url} />
        <Permissions
          clientId={client.client_id}
          countries={client.countries}
          senders={client.senders}
          stageCountries={about.data?.allowed_countries}
        />
      </SpaceBetween>
    </Container>
  );
}

const questions = {
  disable: (name: string) => ({
    title: `Disable ${name}?`,
    text: 'Its requests are rejected within 60 seconds, even with valid tokens. Messages that are scheduled or queued fail with client_disabled when they are due; enabling the client does not send them.',
    action: 'Disable',
  }),
  enable: (name: string) => ({
    title: `Enable ${name}?`,
    text: 'Its requests will be accepted again.',
    action: 'Enable',
  }),
  revoke: (keyId: string) => ({
    title: `Revoke ${keyId}?`,
    text: 'Requests with this key are rejected within 60 seconds. You cannot undo this action.',
    action: 'Revoke',
  }),
  secret: {
    title: 'Rotate the client secret?',
    text: 'The current secret stays valid for 24 hours. Any older secret stops working now.',
    action: 'Rotate',
  },
  webhookSecret: {
    title: 'Rotate the webhook secret?',
    text: 'The new secret takes effect after 60 seconds. Webhooks are also signed with the current secret for another 24 hours.',
    action: 'Rotate',
  },
};
