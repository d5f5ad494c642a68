/** The status and the note of a row that administrators edit, such as a row of limits. */

import FormField from '@cloudscape-design/components/form-field';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import { useChange } from '../api/queries.ts';
import { useDashboard } from '../dashboard-context.ts';
import type { FieldOfForm } from './form.tsx';
import { RowAction } from './list.tsx';

const statusIcons = { active: 'success', invalid: 'warning', expired: 'stopped' } as const;

/** Shows the status that the gateway wrote into the row. A newer gateway may use a status that is unknown here. */
export function RowStatus({ status }: { readonly status: string }) {
  return (
    <StatusIndicator type={statusIcons[status as keyof typeof statusIcons] ?? 'info'}>
      {status}
    </StatusIndicator>
  );
}

/** A button that removes an invalid attribute from a row. */
export function RemoveAttribute({
  name,
  of,
  send,
}: {
  readonly name: string;
  /** The name of the row, for screen readers. */
  readonly of: string;
  readonly send: () => Promise<{ readonly status: string | null; readonly status_message: string | null }>;
}) {
  const { notify } = useDashboard();
  const remove = useChange({
    mutationFn: send,
    onSuccess: ({ status, status_message }) =>
      notify(status === 'invalid' ? 'warning' : 'success', `${name} removed. ${status_message ?? ''}`),
  });
  return (
    <RowAction text={`Remove ${name}`} of={of} isPending={remove.isPending} onClick={() => remove.mutate()} />
  );
}

export function NoteField({ value, error, onChange }: FieldOfForm) {
  return (
    <FormField label="Note" description="For administrators: the reason, and whom to ask." errorText={error}>
      <Textarea rows={2} value={value} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}
