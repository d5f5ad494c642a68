/** Counts over time as stacked bars, by UTC hour or day. Loaded on demand: charts are a quarter of the script. */
import BarChart from '@cloudscape-design/components/bar-chart';
import Box from '@cloudscape-design/components/box';
import type { Series } from './chart-series.ts';

interface TimeChartProps {
  readonly title: string;
  /** What is counted. */
  readonly unit: string;
  /** The length of time that one bar covers. */
  readonly step: 'hour' | 'day';
  /** The start of each bar, oldest first. */
  readonly steps: readonly Date[];
  readonly series: readonly Series[];
  readonly text?: (value: number) => string;
  readonly isLoading: boolean;
}

export default function TimeChart({
  title,
  unit,
  step,
  steps,
  series,
  text = (value) => value.toLocaleString(),
  isLoading,
}: TimeChartProps) {
  const label = (at: Date): string =>
    at.toLocaleString(undefined, {
      timeZone: 'UTC',
      ...(step === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
    });
  return (
    <BarChart<Date>
      ariaLabel={title}
      stackedBars
      height={240}
      hideFilter
      xScaleType="categorical"
      xDomain={steps}
      series={series.map((one) => ({ ...one, type: 'bar', valueFormatter: text }))}
      i18nStrings={{ xTickFormatter: label }}
      xTitle={step === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'}
      yTitle={unit}
      statusType={isLoading ? 'loading' : 'finished'}
      loadingText="Loading"
      empty={<Box textAlign="center">Nothing here yet: no data for this period.</Box>}
    />
  );
}
