/** A form with one text field, which applies when it is submitted. */
import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useListState } from '../route.ts';
import { submitted } from './form.tsx';
import { TextField } from './form-fields.tsx';
import { withoutSeparators } from './phone-number.ts';

interface SearchFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Give it the value as its `key`, so that a change of the address changes the field. */
export function SearchForm({ label, placeholder, value, onSearch }: SearchFormProps) {
  const [text, setText] = useState(value);
  return (
    <form onSubmit={submitted(() => onSearch(text.trim()))}>
      <TextField
        label={label}
        type="search"
        placeholder={placeholder}
        value={text}
        onChange={setText}
        secondaryControl={<Button formAction="submit">Search</Button>}
      />
    </form>
  );
}

/** The filter of a list by phone number, in whatever form people paste it. */
export function NumberSearch({ label, name }: { readonly label: string; readonly name: string }) {
  const { filter, change } = useListState();
  return (
    <SearchForm
      key={filter(name)}
      label={label}
      placeholder="+44…"
      value={filter(name)}
      onSearch={(text) => change({ [name]: withoutSeparators(text) })}
    />
  );
}
