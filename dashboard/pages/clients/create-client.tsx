/** The form of a new client: name, scope and webhook URL. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import RadioGroup from '@cloudscape-design/components/radio-group';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, fieldError } from '../../api/client.ts';
import { FormDialog, Optional } from '../../components/form-dialog.tsx';
import { useDashboard } from '../../context.ts';

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
      return api.send('createClient', {}, body);
    },
    onSuccess: onCreated,
  });
  return (
    <FormDialog
      title="Create client"
      action="Create"
      change={create}
      fields={['name', 'webhook_url']}
      isComplete={name.trim() !== ''}
      onSubmit={() => create.mutate()}
      onDismiss={onDismiss}
    >
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
      <FormField label={<Optional>Webhook URL</Optional>} errorText={fieldError(create.error, 'webhook_url')}>
        <Input
          value={webhookUrl}
          type="url"
          placeholder="https://"
          onChange={({ detail }) => setWebhookUrl(detail.value)}
        />
      </FormField>
    </FormDialog>
  );
}
