/** The filter of a list by time: the last hours or days, or from a time until another. */
import DateRangePicker from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import { useListState } from '../route.ts';
import { rangeFault, rangeOf, timesOf } from './time-range.ts';

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
