/** The dialog that adds a suppression: number, scope and reason. For a number that has one, it changes scope and reason. */
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import { useState } from 'react';
import { useForm } from '../../components/form.ts';
import { FormDialog, Optional } from '../../components/form-dialog.tsx';
import { withoutSeparators } from '../../components/phone-number.ts';
import { scopeNames } from '../../components/reachability.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';

interface AddSuppressionProps {
  readonly clientId: string;
  /** What the field has at first. */
  readonly recipient: string;
  readonly onClose: () => void;
}

const scopeItems = Object.entries(scopeNames).map(([value, label]) => ({ value, label }));

export function AddSuppression({ clientId, recipient, onClose }: AddSuppressionProps) {
  const { api, notify } = useDashboard();
  const [number, setNumber] = useState(recipient);
  const [scope, setScope] = useState('messages');
  const [reason, setReason] = useState('');
  const form = useForm({
    fields: ['recipient', 'reason'],
    values: { recipient: number, scope, reason },
    send: () =>
      api.send(
        'putSuppression',
        { client_id: clientId, recipient: withoutSeparators(number) },
        { scope, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
      ),
    onSent: (added) => {
      onClose();
      notify('success', `${added.recipient} is suppressed.`);
    },
  });
  return (
    <FormDialog
      title="Add suppression"
      action="Add"
      form={form}
      isComplete={number.trim() !== ''}
      onDismiss={onClose}
    >
      <TextField
        label="Recipient"
        error={form.errorOf('recipient')}
        value={number}
        inputMode="tel"
        placeholder="+44…"
        autoFocus
        onChange={setNumber}
      />
      <FormField label="Do not send">
        <RadioGroup value={scope} items={scopeItems} onChange={({ detail }) => setScope(detail.value)} />
      </FormField>
      <TextField
        label={<Optional>Reason</Optional>}
        error={form.errorOf('reason')}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  );
}
