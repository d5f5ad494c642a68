/** The actions of a page about a period: the time of the last load, a refresh button, and the choice of the period. */
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UseQueryResult } from '@tanstack/react-query';
import { useListState } from '../route.ts';
import { Refresh } from './loaded.tsx';

/** Returns the period in the address. */
export function usePeriod<Id extends string>(periods: readonly { readonly id: Id }[], byDefault: Id): Id {
  const { filter } = useListState();
  return periods.find(({ id }) => id === filter('period'))?.id ?? byDefault;
}

export function PeriodChoice<Id extends string>({
  queries: [query, ...others],
  periods,
  selected,
}: {
  /** The first query determines the displayed time of the last load. */
  readonly queries: readonly [UseQueryResult, ...UseQueryResult[]];
  readonly periods: readonly { readonly id: Id; readonly text: string }[];
  readonly selected: Id;
}) {
  const { change } = useListState();
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="end">
      <Refresh query={query} others={others} />
      <SegmentedControl
        label="Period"
        selectedId={selected}
        options={periods}
        onChange={({ detail }) => change({ period: detail.selectedId })}
      />
    </SpaceBetween>
  );
}
