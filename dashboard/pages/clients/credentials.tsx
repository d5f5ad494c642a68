/** The client secrets, the webhook secret and the API keys of a client. */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { clientIdIn, modeOf } from '../../../shared/contract/mode.ts';
import { useChange } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { FormDialog, useConfirm, useForm } from '../../components/form.tsx';
import { ChoiceField } from '../../components/form-fields.tsx';
import { List, RowAction } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { State } from '../../components/state.tsx';
import { Copyable, Secondary, Time } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo } from '../../route.ts';

export function Credentials({ client }: { readonly client: ResponseOf<'showClient'> }) {
  const { api, showSecrets } = useDashboard();
  const path = { client_id: client.client_id };
  const testKeys = linkTo('clients', clientIdIn('test', client.client_id), { tab: 'credentials' }, 'test');
  const { confirm, dialog } = useConfirm();
  const [rotated, setRotated] = useState<keyof typeof texts>();
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
              <Link href={testKeys}>Test keys of this client</Link>
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
      />
      {dialog}
      {rotated === undefined ? null : (
        <RotateSecret clientId={client.client_id} kind={rotated} onClose={() => setRotated(undefined)} />
      )}
    </SpaceBetween>
  );
}

function keyColumns(revoke: (keyId: string) => void): readonly Column<RowOf<'showClient', 'api_keys'>>[] {
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

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '0', label: 'None: it has leaked' },
  { value: '1', label: '1 hour' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];

const texts = {
  client: {
    title: 'Rotate the client secret?',
    text: 'The current secret stays valid for 24 hours, or as long as you choose, unless you end it.',
    leaked:
      'Older secrets are rejected within 60 seconds. Tokens that were requested with them are valid for up to an hour.',
  },
  webhook: {
    title: 'Rotate the webhook secret?',
    text: 'The new secret takes effect after 60 seconds. Webhooks are also signed with the current secret for another 24 hours, or as long as you choose.',
    leaked:
      'When the new secret takes effect, older secrets stop signing. Webhooks then fail at every endpoint that does not have the new secret.',
  },
} as const;

/** The dialog that rotates a secret of a client. The user can choose how long the current secret stays in use. */
function RotateSecret({
  clientId,
  kind,
  onClose,
}: {
  readonly clientId: string;
  readonly kind: keyof typeof texts;
  readonly onClose: () => void;
}) {
  const { api, showSecrets } = useDashboard();
  const { title, text, leaked } = texts[kind];
  const form = useForm({
    first: { overlap: '24' },
    send: async ({ overlap }) => {
      const path = { client_id: clientId };
      const body = { overlap_hours: Number(overlap) };
      if (kind === 'client') {
        const { client_secret } = await api.send('rotateClientSecret', path, body);
        return { label: 'Client secret', value: client_secret };
      }
      const { webhook_secret, active_at } = await api.send('rotateWebhookSecret', path, body);
      return { label: `Webhook secret, active from ${active_at}`, value: webhook_secret };
    },
    onSent: (secret) => showSecrets({ title: 'New secret', secrets: [secret] }),
    onClose,
  });
  return (
    <FormDialog title={title} action="Rotate" form={form}>
      <div>{text}</div>
      <ChoiceField {...form.field('overlap')} label="Overlap" options={overlaps} />
      {form.values.overlap === '0' ? <div>{leaked}</div> : null}
    </FormDialog>
  );
}
