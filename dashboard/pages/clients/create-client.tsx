/** The dialog that creates a client: name, scope and webhook URL. Its secrets are shown once. */
import { RadioField } from '../../components/choice-field.tsx';
import { useForm } from '../../components/form.ts';
import { FormDialog, Optional } from '../../components/form-dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';

const scopes = [
  { value: 'messages', label: 'Send messages' },
  { value: 'admin', label: 'Administer the gateway' },
];

export function CreateClient({ onClose }: { readonly onClose: () => void }) {
  const { api, showSecrets } = useDashboard();
  const form = useForm({
    first: { name: '', scope: 'messages', webhook_url: '' },
    send: ({ name, scope, webhook_url }) =>
      api.send('createClient', {}, { name, scopes: [scope], webhook_url: webhook_url.trim() || null }),
    onSent: (client) =>
      showSecrets({
        title: `The secrets of ${client.name}`,
        secrets: [
          { label: 'Client id', value: client.client_id },
          { label: 'Client secret', value: client.client_secret },
          { label: 'Webhook secret', value: client.webhook_secret },
        ],
      }),
    onClose,
  });
  const isComplete = form.values.name.trim() !== '';
  return (
    <FormDialog title="Create client" action="Create" form={form} isComplete={isComplete}>
      <TextField {...form.field('name')} label="Name" autoFocus />
      <RadioField {...form.field('scope')} label="Scope" options={scopes} />
      <TextField
        {...form.field('webhook_url')}
        label={<Optional>Webhook URL</Optional>}
        type="url"
        placeholder="https://"
      />
    </FormDialog>
  );
}
