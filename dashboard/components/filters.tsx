/** The filters of a list: the frame, and filters by time, client, phone number and choice. */

import Button from '@cloudscape-design/components/button';
import DateRangePicker from '@cloudscape-design/components/date-range-picker';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import { Children, type ReactNode, useEffect, useState } from 'react';
import { useListState } from '../route.ts';
import { ClientField } from './client-name.tsx';
import { submitted } from './form.tsx';
import { ChoiceField, TextField } from './form-fields.tsx';
import { useIsNarrow } from './media.ts';
import { rangeFault, rangeOf, timesOf } from './time-range.ts';

/** Shows the filters, folded in a narrow window, so that the rows are on the first screen. */
export function Filters({
  isRequired = false,
  children,
}: {
  /** True if the list shows no rows until the user sets a filter. */
  readonly isRequired?: boolean;
  readonly children: ReactNode;
}) {
  const isNarrow = useIsNarrow();
  const { isFiltered } = useListState();
  const [isOpen, setIsOpen] = useState(isRequired && !isFiltered);
  const [before, setBefore] = useState(isFiltered);
  // A changed filter shows or hides the rows.
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

/** Shows fields side by side. In a narrow window each row has one field, unless `inNarrow` is set. */
export function Fields({
  perRow,
  inNarrow = 1,
  children,
}: {
  readonly perRow: 2 | 3 | 4;
  readonly inNarrow?: 1 | 2;
  readonly children: ReactNode;
}) {
  const colspan = { default: 12 / inNarrow, s: 12 / perRow };
  return <Grid gridDefinition={Children.map(children, () => ({ colspan })) ?? []}>{children}</Grid>;
}

/** A filter by time: the last hours or days, or a range. */
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
 * A filter by client, or by another parameter of the address. Writes the text into the address after a pause in typing.
 *
 * @returns `isTyping` is true if the user is typing: hide the rows of the previous client */
export function useClientFilter(name = 'client_id', label = 'Client') {
  const { filter, change } = useListState();
  const value = filter(name);
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // The URL has changed, for example by the Back button.
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

/** A filter by one of several values, or any. */
export function ChoiceFilter({
  name,
  ...field
}: {
  /** The parameter in the address. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label?: string }[];
}) {
  const { filter, change } = useListState();
  return (
    <ChoiceField
      label={field.label}
      value={filter(name)}
      options={[any, ...field.options]}
      onChange={(value) => change({ [name]: value })}
    />
  );
}

/**
 * A form with one text field. The text is applied when the user submits the form. Pass the value as the form's `key`, so
 * that the field follows the URL.
 */
export function SearchForm({
  label,
  placeholder,
  value,
  onSearch,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}) {
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

/** A filter by phone number. */
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
