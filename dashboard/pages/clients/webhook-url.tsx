/** The client's default webhook URL, editable. */
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldError, formError } from '../../api/client.ts';
import { useDashboard } from '../../context.ts';

interface WebhookUrlProps {
  readonly clientId: string;
  readonly value: string | null;
}

export function WebhookUrl({ clientId, value }: WebhookUrlProps) {
  const { api, notify } = useDashboard();
  const [text, setText] = useState(value ?? '');
  const save = useMutation({
    meta: { showsError: true },
    mutationFn: (url: string) =>
      api.send('changeClient', { client_id: clientId }, { webhook_url: url === '' ? null : url }),
    onSuccess: ({ webhook_url }) =>
      notify('success', webhook_url === null ? 'Webhook URL removed.' : 'Webhook URL saved.'),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(text.trim());
  };

  return (
    <form onSubmit={submit}>
      <FormField
        label="Webhook URL"
        description="Used for requests that have no webhook URL of their own. Leave empty for none."
        errorText={fieldError(save.error, 'webhook_url') ?? formError(save.error, [])}
        secondaryControl={
          <Button formAction="submit" loading={save.isPending} disabled={text.trim() === (value ?? '')}>
            Save
          </Button>
        }
      >
        <Input
          value={text}
          type="url"
          placeholder="https://"
          onChange={({ detail }) => setText(detail.value)}
        />
      </FormField>
    </form>
  );
}
