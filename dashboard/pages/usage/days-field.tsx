/** The choice of other days than a calendar has: from a day to another, both in UTC and both whole. */
import DateRangePicker from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import { useListState } from '../../route.ts';
import { daysMax } from './usage-period.ts';

export function DaysField() {
  const { filter, change } = useListState();
  const [first, last] = [filter('first'), filter('last_day')];
  return (
    <FormField label="Days (UTC)">
      <DateRangePicker
        value={first === '' ? null : { type: 'absolute', startDate: first, endDate: last }}
        placeholder="The last 7 days"
        rangeSelectorMode="absolute-only"
        dateOnly
        relativeOptions={[]}
        isValidRange={(range) => {
          if (range?.type !== 'absolute') return { valid: true };
          const days = (Date.parse(range.endDate) - Date.parse(range.startDate)) / 86_400_000 + 1;
          if (Number.isNaN(days)) return { valid: false, errorMessage: 'Choose the first and the last day.' };
          return days >= 1 && days <= daysMax
            ? { valid: true }
            : { valid: false, errorMessage: `Choose at most ${daysMax} days.` };
        }}
        onChange={({ detail: { value } }) =>
          change(
            value?.type === 'absolute'
              ? { first: value.startDate, last_day: value.endDate }
              : { first: '', last_day: '' },
          )
        }
      />
    </FormField>
  );
}
