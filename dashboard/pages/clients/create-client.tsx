/** The dialog that creates a client: name, scope and webhook URL. Its secrets are shown once. */
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import { useState } from 'react';
import { useForm } from '../../components/form.ts';
import { FormDialog, Optional } from '../../components/form-dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';

export function CreateClient({ onClose }: { readonly onClose: () => void }) {
  const { api, showSecrets } = useDashboard();
  const [name, setName] = useState('');
  const [scope, setScope] = useState('messages');
  const [webhookUrl, setWebhookUrl] = useState('');
  const form = useForm({
    fields: ['name', 'webhook_url'],
    values: { name, scope, webhook_url: webhookUrl },
    send: () => {
      const url = webhookUrl.trim();
      return api.send('createClient', {}, { name, scopes: [scope], webhook_url: url === '' ? null : url });
    },
    onSent: (client) => {
      onClose();
      showSecrets({
        title: `The secrets of ${client.name}`,
        secrets: [
          { label: 'Client id', value: client.client_id },
          { label: 'Client secret', value: client.client_secret },
          { label: 'Webhook secret', value: client.webhook_secret },
        ],
      });
    },
  });
  return (
    <FormDialog
      title="Create client"
      action="Create"
      form={form}
      isComplete={name.trim() !== ''}
      onDismiss={onClose}
    >
      <TextField label="Name" error={form.errorOf('name')} value={name} autoFocus onChange={setName} />
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
      <TextField
        label={<Optional>Webhook URL</Optional>}
        error={form.errorOf('webhook_url')}
        value={webhookUrl}
        type="url"
        placeholder="https://"
        onChange={setWebhookUrl}
      />
    </FormDialog>
  );
}
