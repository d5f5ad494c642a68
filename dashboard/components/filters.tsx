/** The filters of a list: their frame, and those by time, client, phone number and choice. */

import Button from '@cloudscape-design/components/button';
import DateRangePicker from '@cloudscape-design/components/date-range-picker';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import { Children, type ReactNode, useEffect, useState } from 'react';
import { useListState } from '../route.ts';
import { ClientField } from './client-name.tsx';
import { submitted } from './form.tsx';
import { ChoiceField, type ChoiceFieldProps, TextField } from './form-fields.tsx';
import { useIsNarrow } from './media.ts';
import { rangeFault, rangeOf, timesOf } from './time-range.ts';

interface FiltersProps {
  /** Whether there are no rows before something is chosen. */
  readonly isRequired?: boolean;
  readonly children: ReactNode;
}

/** In a narrow window they are folded, so that the rows are on the first screen. */
export function Filters({ isRequired = false, children }: FiltersProps) {
  const isNarrow = useIsNarrow();
  const { isFiltered } = useListState();
  const [isOpen, setIsOpen] = useState(isRequired && !isFiltered);
  const [before, setBefore] = useState(isFiltered);
  // Rows have come, or gone.
  if (before !== isFiltered) {
    setBefore(isFiltered);
    setIsOpen(isRequired && !isFiltered);
  }
  if (!isNarrow) return children;
  return (
    <ExpandableSection
      headerText={isFiltered ? 'Filters (in use)' : 'Filters'}
      expanded={isOpen}
      onChange={({ detail }) => setIsOpen(detail.expanded)}
    >
      {children}
    </ExpandableSection>
  );
}

interface FieldsProps {
  readonly perRow: 2 | 3 | 4;
  readonly inNarrow?: 1 | 2;
  readonly children: ReactNode;
}

/** Fields beside each other; in a narrow window, one in a row unless it is said. */
export function Fields({ perRow, inNarrow = 1, children }: FieldsProps) {
  const colspan = { default: 12 / inNarrow, s: 12 / perRow };
  return <Grid gridDefinition={Children.map(children, () => ({ colspan })) ?? []}>{children}</Grid>;
}

/** The filter of a list by time: the last hours or days, or from a time until another. */
export function TimeFilter({ placeholder = 'Any time' }: { readonly placeholder?: string }) {
  const { filters, change } = useListState();
  return (
    <FormField label="Time">
      <DateRangePicker
        value={rangeOf(filters)}
        placeholder={placeholder}
        relativeOptions={[
          { key: 'hour', amount: 1, unit: 'hour', type: 'relative' },
          { key: 'day', amount: 24, unit: 'hour', type: 'relative' },
          { key: 'week', amount: 7, unit: 'day', type: 'relative' },
        ]}
        isValidRange={(range) => {
          const errorMessage = rangeFault(range);
          return errorMessage === undefined ? { valid: true } : { valid: false, errorMessage };
        }}
        onChange={({ detail }) => change(timesOf(detail.value))}
      />
    </FormField>
  );
}

const pauseMs = 400;

/**
 * The filter of a list by client, or by another name of its address; what is typed goes into the address after a pause.
 *
 * @returns `isTyping`: the rows of the client before are not to be shown any more */
export function useClientFilter(name = 'client_id', label = 'Client') {
  const { filter, change } = useListState();
  const value = filter(name);
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // The address has changed: by Back, for instance.
  if (before !== value) {
    setBefore(value);
    if (text.trim() !== value) setText(value);
  }
  const isTyping = text.trim() !== value;
  useEffect(() => {
    if (!isTyping) return undefined;
    const timer = setTimeout(() => change({ [name]: text.trim() }, { replace: true }), pauseMs);
    return () => clearTimeout(timer);
  });
  return { isTyping, field: <ClientField label={label} value={text} onChange={setText} /> };
}

const any = { value: '', label: 'Any' };

interface ChoiceFilterProps extends Pick<ChoiceFieldProps, 'label' | 'options'> {
  /** In the address. */
  readonly name: string;
}

/** A filter of a list: one of the values, or any. */
export function ChoiceFilter({ name, label, options }: ChoiceFilterProps) {
  const { filter, change } = useListState();
  return (
    <ChoiceField
      label={label}
      value={filter(name)}
      options={[any, ...options]}
      onChange={(value) => change({ [name]: value })}
    />
  );
}

interface SearchFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A form with one text field, which applies when it is submitted. Give it the value as its `key`, so that a change of the address changes the field. */
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

/** The filter of a list by phone number. */
export function NumberSearch({ label, name }: { readonly label: string; readonly name: string }) {
  const { filter, change } = useListState();
  return (
    <SearchForm
      key={filter(name)}
      label={label}
      placeholder="+44…"
      value={filter(name)}
      onSearch={(text) => change({ [name]: text })}
    />
  );
}
