/** A field for a line of text, with its label and error. */
import FormField, { type FormFieldProps } from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import { useEffect, useRef } from 'react';

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
  autoFocus = false,
  onChange,
  ...input
}: TextFieldProps) {
  const field = useRef<InputProps.Ref>(null);
  useEffect(() => {
    if (!autoFocus) return undefined;
    // After its dialog, which notes what had the focus before, to give it back, and takes it for its first button.
    const timer = setTimeout(() => field.current?.focus());
    return () => clearTimeout(timer);
  }, [autoFocus]);
  return (
    <FormField label={label} description={description} errorText={error} secondaryControl={secondaryControl}>
      <Input {...input} ref={field} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}
