/** The note of a row that people edit. */
import FormField from '@cloudscape-design/components/form-field';
import Textarea from '@cloudscape-design/components/textarea';

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
