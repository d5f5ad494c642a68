/** A form with one text field, which applies when it is submitted. */
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { type FormEvent, type ReactNode, useState } from 'react';

interface SearchFormProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly action: string;
  readonly onSearch: (text: string) => void;
  /** Instead of a plain field. */
  readonly field?: (text: string, setText: (text: string) => void) => ReactNode;
}

/** Give it the value as its `key`, so that a change of the address changes the field. */
export function SearchForm({ label, placeholder = '', value, action, onSearch, field }: SearchFormProps) {
  const [text, setText] = useState(value);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form onSubmit={search}>
      <FormField label={label} secondaryControl={<Button formAction="submit">{action}</Button>}>
        {field?.(text, setText) ?? (
          <Input
            type="search"
            placeholder={placeholder}
            value={text}
            onChange={({ detail }) => setText(detail.value)}
          />
        )}
      </FormField>
    </form>
  );
}
