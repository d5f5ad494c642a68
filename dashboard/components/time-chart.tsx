/** Counts over time as stacked bars, by UTC hour or day. Loaded on demand: charts are a quarter of the script. */
import BarChart from '@cloudscape-design/components/bar-chart';
import Box from '@cloudscape-design/components/box';
import type { UseQueryResult } from '@tanstack/react-query';
import { numberText } from '../value-names.ts';

export interface Series {
  readonly title: string;
  readonly color?: string;
  /** One value for each bar, oldest first. */
  readonly values: readonly number[];
}

export default function TimeChart({
  title,
  unit,
  step,
  steps,
  series,
  text = numberText,
  query,
}: {
  readonly title: string;
  /** The unit of the counts. */
  readonly unit: string;
  /** The length of time that one bar covers. */
  readonly step: 'hour' | 'day';
  /** The start of each bar, oldest first. */
  readonly steps: readonly Date[];
  readonly series: readonly Series[];
  readonly text?: (value: number) => string;
  /** The query that loads the series, if they may not be loaded yet. */
  readonly query?: UseQueryResult;
}) {
  const label = (at: Date): string =>
    at.toLocaleString(undefined, {
      timeZone: 'UTC',
      ...(step === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
    });
  const hasAny = series.some(({ values }) => values.some((value) => value > 0));
  return (
    <BarChart<Date>
      ariaLabel={title}
      stackedBars
      height={240}
      hideFilter
      xScaleType="categorical"
      xDomain={steps}
      series={(hasAny ? series : []).map(({ values, ...look }) => ({
        ...look,
        type: 'bar',
        valueFormatter: text,
        data: steps.map((x, index) => ({ x, y: values[index] ?? 0 })),
      }))}
      i18nStrings={{ xTickFormatter: label }}
      xTitle={step === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'}
      yTitle={unit}
      statusType={statusOf(query)}
      loadingText="Loading"
      errorText="This data could not be loaded."
      empty={<Box textAlign="center">Nothing here yet: no data for this period.</Box>}
    />
  );
}

function statusOf(query: UseQueryResult | undefined) {
  if (query === undefined || query.data !== undefined) return 'finished';
  return query.isError ? 'error' : 'loading';
}
