/** A form with one text field, which applies when it is submitted. */
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { type FormEvent, useState } from 'react';

interface SearchFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Give it the value as its `key`, so that a change of the address changes the field. */
export function SearchForm({ label, placeholder, value, onSearch }: SearchFormProps) {
  const [text, setText] = useState(value);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form onSubmit={search}>
      <FormField label={label} secondaryControl={<Button formAction="submit">Search</Button>}>
        <Input
          type="search"
          placeholder={placeholder}
          value={text}
          onChange={({ detail }) => setText(detail.value)}
        />
      </FormField>
    </form>
  );
}
