/** The form of a new client: name, scope and webhook URL. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';
import type { ShownClient } from '../../shared/admin/clients.ts';
import { ApiError } from '../api/client.ts';
import { sentence } from '../api/use-loading.ts';
import { useDashboard } from '../context.ts';

interface NewClientProps {
  readonly onDismiss: () => void;
  readonly onCreated: (client: ShownClient) => void;
}

export function NewClient({ onDismiss, onCreated }: NewClientProps) {
  const { api } = useDashboard();
  const [name, setName] = useState('');
  const [scope, setScope] = useState('messages');
  const [webhookUrl, setWebhookUrl] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const details = error instanceof ApiError ? error.details : {};

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const url = webhookUrl.trim();
      const body = { name, scopes: [scope], webhook_url: url === '' ? null : url };
      onCreated(await api.send<ShownClient>('POST', '/clients', body));
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };

  return (
    <Modal visible header="Create client" onDismiss={onDismiss}>
      <form onSubmit={(event) => void submit(event)}>
        <Form
          errorText={error === undefined || Object.keys(details).length > 0 ? undefined : sentence(error)}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" onClick={onDismiss}>
                Cancel
              </Button>
              <Button variant="primary" formAction="submit" loading={busy} disabled={name.trim() === ''}>
                Create
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="m">
            <FormField label="Name" errorText={details.name}>
              <Input value={name} autoFocus onChange={({ detail }) => setName(detail.value)} />
            </FormField>
            <FormField label="Scope">
              <RadioGroup
                value={scope}
                items={[
                  { value: 'messages', label: 'Send messages' },
                  { value: 'admin', label: 'Administer the gateway' },
                ]}
                onChange={({ detail }) => setScope(detail.value)}
              />
            </FormField>
            <FormField
              label={
                <span>
                  Webhook URL <Box variant="span">– optional</Box>
                </span>
              }
              errorText={details.webhook_url}
            >
              <Input
                value={webhookUrl}
                type="url"
                placeholder="https://"
                onChange={({ detail }) => setWebhookUrl(detail.value)}
              />
            </FormField>
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
}
