/** The client's default webhook URL, editable. */
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { sentence } from '../api/use-loading.ts';
import { useDashboard } from '../context.ts';

interface WebhookUrlProps {
  /** The client's path in the admin API. */
  readonly path: string;
  readonly value: string | null;
  readonly onSaved: () => void;
}

export function WebhookUrl({ path, value, onSaved }: WebhookUrlProps) {
  const { api, notify } = useDashboard();
  const [text, setText] = useState(value ?? '');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const url = text.trim();
      await api.send('PATCH', path, { webhook_url: url === '' ? null : url });
      notify('success', url === '' ? 'The webhook URL is removed.' : 'The webhook URL is saved.');
      onSaved();
    } catch (refusal) {
      const detail = refusal instanceof ApiError ? refusal.details.webhook_url : undefined;
      setError(detail ?? sentence(refusal));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void save(event)}>
      <FormField
        label="Webhook URL"
        description="The default for requests without a webhook URL. Empty means none."
        errorText={error}
        secondaryControl={
          <Button formAction="submit" loading={busy} disabled={text.trim() === (value ?? '')}>
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
