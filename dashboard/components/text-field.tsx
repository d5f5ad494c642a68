/** A field for a line of text, with its label and error. */
import FormField, { type FormFieldProps } from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';

interface TextFieldProps
  extends Pick<FormFieldProps, 'label' | 'description' | 'secondaryControl'>,
    Omit<InputProps, 'onChange'> {
  readonly error?: string | undefined;
  readonly onChange: (text: string) => void;
}

export function TextField({
  label,
  description,
  secondaryControl,
  error,
  onChange,
  ...input
}: TextFieldProps) {
  return (
    <FormField label={label} description={description} errorText={error} secondaryControl={secondaryControl}>
      <Input {...input} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}
