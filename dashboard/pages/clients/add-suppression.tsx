/** The form of a new suppression: number, scope and reason. For a number that has one, it changes scope and reason. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import RadioGroup from '@cloudscape-design/components/radio-group';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/client.ts';
import { FormDialog, Optional } from '../../components/form-dialog.tsx';
import { withoutSeparators } from '../../components/phone-number.ts';
import { scopeNames } from '../../components/reachability.tsx';
import { useDashboard } from '../../context.ts';

interface NewSuppressionProps {
  readonly clientId: string;
  /** What the field has at first. */
  readonly recipient: string;
  readonly onDone: () => void;
}

const scopeItems = Object.entries(scopeNames).map(([value, label]) => ({ value, label }));

export function NewSuppression({ clientId, recipient, onDone }: NewSuppressionProps) {
  const { api, notify } = useDashboard();
  const [number, setNumber] = useState(recipient);
  const [scope, setScope] = useState('messages');
  const [reason, setReason] = useState('');
  const add = useMutation({
    meta: { showsError: true },
    mutationFn: () =>
      api.send(
        'putSuppression',
        { client_id: clientId, recipient: withoutSeparators(number) },
        { scope, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
      ),
    onSuccess: (added) => {
      notify('success', `${added.recipient} is suppressed.`);
      onDone();
    },
  });
  return (
    <FormDialog
      title="Add suppression"
      action="Add"
      change={add}
      fields={['recipient', 'reason']}
      isComplete={number.trim() !== ''}
      onSubmit={() => add.mutate()}
      onDismiss={onDone}
    >
      <FormField label="Recipient" errorText={fieldError(add.error, 'recipient')}>
        <Input
          value={number}
          type="text"
          inputMode="tel"
          placeholder="+44…"
          autoFocus
          onChange={({ detail }) => setNumber(detail.value)}
        />
      </FormField>
      <FormField label="Do not send">
        <RadioGroup value={scope} items={scopeItems} onChange={({ detail }) => setScope(detail.value)} />
      </FormField>
      <FormField label={<Optional>Reason</Optional>} errorText={fieldError(add.error, 'reason')}>
        <Input value={reason} onChange={({ detail }) => setReason(detail.value)} />
      </FormField>
    </FormDialog>
  );
}
