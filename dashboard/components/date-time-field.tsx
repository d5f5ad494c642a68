/** A field for a date and a time of the user's time zone, which gives the moment as ISO 8601. */
import DatePicker from '@cloudscape-design/components/date-picker';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TimeInput from '@cloudscape-design/components/time-input';
import { type ReactNode, useState } from 'react';

interface DateTimeFieldProps {
  readonly label: string;
  readonly description?: string;
  /** ISO 8601; empty for none. */
  readonly value: string;
  readonly error?: string | undefined;
  /** Beside the fields. */
  readonly actions?: ReactNode;
  readonly onChange: (value: string) => void;
}

/** Give it a `key` that changes where the value is changed otherwise than by its fields. */
export function DateTimeField({ label, description, value, error, actions, onChange }: DateTimeFieldProps) {
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
        {actions}
      </SpaceBetween>
    </FormField>
  );
}

/** `2026-11-25T18:30` in the user's time zone. */
function localOf(value: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What is no date yet goes as it is, so that the gateway refuses it. */
function momentOf(date: string, time: string): string {
  const at = new Date(`${date}T${time === '' ? '00:00' : time}`);
  return Number.isNaN(at.getTime()) ? date : at.toISOString().replace('.000Z', 'Z');
}
