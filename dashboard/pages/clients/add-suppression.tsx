/** The dialog that adds a suppression: number, scope and reason. For a number that has one, it changes scope and reason. */
import { RadioField } from '../../components/choice-field.tsx';
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

const scopeOptions = Object.entries(scopeNames).map(([value, label]) => ({ value, label }));

export function AddSuppression({ clientId, recipient, onClose }: AddSuppressionProps) {
  const { api, notify } = useDashboard();
  const form = useForm({
    first: { recipient, scope: 'messages', reason: '' },
    send: (entered) => {
      const path = { client_id: clientId, recipient: withoutSeparators(entered.recipient) };
      const reason = entered.reason.trim();
      return api.send('putSuppression', path, { scope: entered.scope, ...(reason === '' ? {} : { reason }) });
    },
    onSent: (added) => notify('success', `${added.recipient} is suppressed.`),
    onClose,
  });
  const isComplete = form.values.recipient.trim() !== '';
  return (
    <FormDialog title="Add suppression" action="Add" form={form} isComplete={isComplete}>
      <TextField
        {...form.field('recipient')}
        label="Recipient"
        inputMode="tel"
        placeholder="+44…"
        autoFocus
      />
      <RadioField {...form.field('scope')} label="Do not send" options={scopeOptions} />
      <TextField {...form.field('reason')} label={<Optional>Reason</Optional>} />
    </FormDialog>
  );
}
