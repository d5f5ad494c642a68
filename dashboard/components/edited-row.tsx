/** The status and the note of a row that people edit, such as a row of limits. */

import FormField from '@cloudscape-design/components/form-field';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';

const statusIcons = { active: 'success', invalid: 'warning', expired: 'stopped' } as const;

/** As the gateway writes it into the row; of a newer gateway it may be another word. */
export function RowStatus({ status }: { readonly status: string }) {
  return (
    <StatusIndicator type={statusIcons[status as keyof typeof statusIcons] ?? 'info'}>
      {status}
    </StatusIndicator>
  );
}

interface NoteFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

export function NoteField({ value, error, onChange }: NoteFieldProps) {
  return (
    <FormField label="Note" description="For people: why, and who to ask." errorText={error}>
      <Textarea rows={2} value={value} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}
