/** Fields of forms: a choice, a line of text, a time. */

import DatePicker from '@cloudscape-design/components/date-picker';
import FormField from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TimeInput from '@cloudscape-design/components/time-input';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FieldOfForm } from './form.tsx';

/** A select field for one of a few values. Selects the first if the value is unknown. */
export function ChoiceField({
  label,
  value,
  error,
  options,
  onChange,
}: FieldOfForm & {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label?: string }[];
}) {
  return (
    <FormField label={label} errorText={error}>
      <Select
        selectedOption={options.find((option) => option.value === value) ?? options[0] ?? null}
        options={options}
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
      />
    </FormField>
  );
}

/** The same as radio buttons. */
export function RadioField({ label, value, error, options, onChange }: ComponentProps<typeof ChoiceField>) {
  return (
    <FormField label={label} errorText={error}>
      <RadioGroup
        value={value}
        items={options.map((option) => ({ label: option.value, ...option }))}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}

/** A field for a line of text, with its label and error. */
export function TextField({
  label,
  description,
  secondaryControl,
  error,
  autoFocus = false,
  onChange,
  ...input
}: Omit<InputProps, 'onChange'> & {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  /** Shown after the field. */
  readonly secondaryControl?: ReactNode;
  readonly error?: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  const field = useRef<InputProps.Ref>(null);
  useEffect(() => {
    if (!autoFocus) return undefined;
    // The dialog first moves the focus to its first button, so this waits.
    const timer = setTimeout(() => field.current?.focus());
    return () => clearTimeout(timer);
  }, [autoFocus]);
  return (
    <FormField label={label} description={description} errorText={error} secondaryControl={secondaryControl}>
      <Input {...input} ref={field} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}

/**
 * A field for a date and a time in the user's time zone. The value is in ISO 8601, or empty.
 */
export function DateTimeField({
  label,
  description,
  value,
  error,
  onChange,
}: FieldOfForm & { readonly label: string; readonly description?: string }) {
  const [date, setDate] = useState(localOf(value).slice(0, 10));
  const [time, setTime] = useState(localOf(value).slice(11));
  const change = (nextDate: string, nextTime: string): void => {
    setDate(nextDate);
    setTime(nextTime);
    onChange(nextDate === '' ? '' : momentOf(nextDate, nextTime));
  };
  return (
    <FormField
      label={label}
      description={description}
      errorText={error}
      constraintText={value === '' ? undefined : `UTC: ${value}`}
    >
      <SpaceBetween direction="horizontal" size="xs" alignItems="end">
        <FormField label="Date">
          <DatePicker
            value={date}
            placeholder="YYYY/MM/DD"
            openCalendarAriaLabel={(selected) =>
              `Choose a date${selected === null ? '' : `, ${selected} is chosen`}`
            }
            onChange={({ detail }) => change(detail.value, time)}
          />
        </FormField>
        <FormField label="Time">
          <TimeInput
            format="hh:mm"
            placeholder="hh:mm"
            value={time}
            onChange={({ detail }) => change(date, detail.value)}
          />
        </FormField>
      </SpaceBetween>
    </FormField>
  );
}

/** Returns a time in the user's time zone, such as `2026-11-25T18:30`. */
function localOf(value: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the time in ISO 8601. An invalid date is returned unchanged, so that the gateway refuses it. */
function momentOf(date: string, time: string): string {
  const at = new Date(`${date}T${time === '' ? '00:00' : time}`);
  return Number.isNaN(at.getTime()) ? date : at.toISOString().replace('.000Z', 'Z');
}
