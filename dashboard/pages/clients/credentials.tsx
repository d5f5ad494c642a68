/** The client secrets, the webhook secret and the API keys of a client. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ApiKeyView } from '../../../shared/admin/clients.ts';
import { clientIdIn, modeOf } from '../../../shared/contract/mode.ts';
import type { ResponseOf } from '../../api/call-api.ts';
import { useChange } from '../../api/change.ts';
import type { Column } from '../../components/columns.ts';
import { useConfirm } from '../../components/confirm-dialog.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { List } from '../../components/list.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Section } from '../../components/section.tsx';
import { State } from '../../components/state.tsx';
import { Secondary } from '../../components/text.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo } from '../../route.ts';
import { RotateSecret, type SecretKind } from './rotate-secret.tsx';

export function Credentials({ client }: { readonly client: ResponseOf<'showClient'> }) {
  const { api, showSecrets } = useDashboard();
  const path = { client_id: client.client_id };
  const { confirm, dialog } = useConfirm();
  const [rotated, setRotated] = useState<SecretKind>();
  const createKey = useChange({
    mutationFn: () => api.send('createApiKey', path),
    onSuccess: ({ api_key }) =>
      showSecrets({ title: 'New secret', secrets: [{ label: 'API key', value: api_key }] }),
  });
  const endPreviousSecret = (): void =>
    confirm({
      title: 'End the previous client secret?',
      text: 'It is rejected within 60 seconds. Tokens that were requested with it are valid for up to an hour.',
      action: 'End secret',
      work: () => api.send('endPreviousSecret', path),
      done: 'Previous client secret ended.',
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
    <SpaceBetween size="l">
      <Section
        title="Secrets"
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            {client.secrets.length > 1 ? (
              <Button onClick={endPreviousSecret}>End previous client secret</Button>
            ) : null}
            <Button onClick={() => setRotated('client')}>Rotate client secret</Button>
            <Button onClick={() => setRotated('webhook')}>Rotate webhook secret</Button>
          </SpaceBetween>
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
      </Section>
      <List
        title="API keys"
        description="For programs that cannot request tokens."
        actions={
          <SpaceBetween direction="horizontal" size="s" alignItems="center">
            {modeOf(client.client_id) === 'test' ? null : (
              <Link
                href={linkTo('clients', clientIdIn('test', client.client_id), { tab: 'credentials' }, 'test')}
              >
                Test keys of this client
              </Link>
            )}
            <Button loading={createKey.isPending} onClick={() => createKey.mutate()}>
              Create API key
            </Button>
          </SpaceBetween>
        }
        columns={keyColumns(revoke)}
        rows={client.api_keys}
        empty="The client has no API keys."
        idOf={(key) => key.key_id}
        csvName={`api-keys-of-${client.client_id}`}
      />
      {dialog}
      {rotated === undefined ? null : (
        <RotateSecret clientId={client.client_id} kind={rotated} onClose={() => setRotated(undefined)} />
      )}
    </SpaceBetween>
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
      field: 'revoked_at',
      minWidth: 150,
      cell: ({ revoked_at }) =>
        revoked_at === null ? (
          <State of="enabled" />
        ) : (
          <>
            <State of="revoked" />
            <Secondary>
              <Time at={revoked_at} />
            </Secondary>
          </>
        ),
    },
    {
      title: 'Action',
      minWidth: 110,
      cell: ({ key_id, revoked_at }) =>
        revoked_at === null ? <RowAction text="Revoke" of={key_id} onClick={() => revoke(key_id)} /> : '–',
    },
  ];
}
