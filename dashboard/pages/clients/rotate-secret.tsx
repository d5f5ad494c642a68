/** The dialog that rotates a secret of a client, with the choice of how long the current one stays in use. */
import { ChoiceField } from '../../components/choice-field.tsx';
import { useForm } from '../../components/form.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useDashboard } from '../../context.ts';

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
      'When the new secret takes effect, no older one signs any more: webhooks fail at an endpoint that does not have the new one by then.',
  },
} as const;

export type SecretKind = keyof typeof texts;

interface RotateSecretProps {
  readonly clientId: string;
  readonly kind: SecretKind;
  readonly onClose: () => void;
}

export function RotateSecret({ clientId, kind, onClose }: RotateSecretProps) {
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
