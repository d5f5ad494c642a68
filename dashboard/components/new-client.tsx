/** The form of a new client: name, scope and webhook URL. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Answer, fieldError, formError } from '../api/client.ts';
import { useDashboard } from '../context.ts';

interface NewClientProps {
  readonly onDismiss: () => void;
  readonly onCreated: (client: Answer<'createClient'>) => void;
}

export function NewClient({ onDismiss, onCreated }: NewClientProps) {
  const { api } = useDashboard();
  const [name, setName] = useState('');
  const [scope, setScope] = useState('messages');
  const [webhookUrl, setWebhookUrl] = useState('');
  const create = useMutation({
    meta: { showsError: true },
    mutationFn: () => {
      const url = webhookUrl.trim();
      const body = { name, scopes: [scope], webhook_url: url === '' ? null : url };
      return api.send<'createClient'>('POST', '/clients', body);
    },
    onSuccess: onCreated,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };

  return (
    <Modal visible header="Create client" onDismiss={onDismiss}>
      <form onSubmit={submit}>
        <Form
          errorText={formError(create.error, ['name', 'webhook_url'])}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" onClick={onDismiss}>
                Cancel
              </Button>
              <Button
                variant="primary"
                formAction="submit"
                loading={create.isPending}
                disabled={name.trim() === ''}
              >
                Create
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="m">
            <FormField label="Name" errorText={fieldError(create.error, 'name')}>
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
              errorText={fieldError(create.error, 'webhook_url')}
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
