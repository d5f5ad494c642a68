/** The filters of a list. In a narrow window they are folded, so that the rows are on the first screen. */
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Grid from '@cloudscape-design/components/grid';
import { Children, type ReactNode, useState } from 'react';
import { useListState } from '../route.ts';
import { useIsNarrow } from './media.ts';

interface FiltersProps {
  /** Whether there are no rows before something is chosen. */
  readonly isRequired?: boolean;
  readonly children: ReactNode;
}

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
