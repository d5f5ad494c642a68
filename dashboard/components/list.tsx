/** A table with pages, and with empty, loading and error states. */
import Box from '@cloudscape-design/components/box';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { Pages } from '../api/use-loading.ts';
import { LoadFailure } from './load-failure.tsx';

interface ListProps<Row> {
  /** For screen readers. */
  readonly label: string;
  readonly header?: ReactNode;
  readonly filter?: ReactNode;
  readonly columns: readonly TableProps.ColumnDefinition<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly loading: boolean;
  readonly error: string | undefined;
  readonly onRetry: () => void;
  readonly empty: string;
  readonly idOf: (row: Row) => string;
  readonly pages?: Pages;
  readonly variant?: TableProps.Variant;
  readonly selection?: {
    readonly selected: readonly Row[];
    readonly onSelect: (rows: readonly Row[]) => void;
    readonly isDisabled: (row: Row) => boolean;
    readonly labelOf: (row: Row) => string;
  };
}

export function List<Row>(props: ListProps<Row>) {
  const { rows, loading, error, pages, selection, columns } = props;
  const table = (
    <Table<Row>
      variant={props.variant ?? 'container'}
      header={props.header}
      filter={props.filter}
      columnDefinitions={columns}
      items={rows ?? []}
      trackBy={props.idOf}
      // Rows stay visible while they are reloaded.
      loading={loading && rows === undefined}
      loadingText="Loading"
      wrapLines
      enableKeyboardNavigation
      empty={
        <Box textAlign="center" color="inherit" padding="s">
          {error === undefined ? props.empty : 'Loading failed.'}
        </Box>
      }
      ariaLabels={{
        tableLabel: props.label,
        ...(selection === undefined
          ? {}
          : {
              selectionGroupLabel: 'Selection',
              allItemsSelectionLabel: () => 'Select all',
              itemSelectionLabel: (_data: unknown, row: Row) => selection.labelOf(row),
            }),
      }}
      {...(selection === undefined
        ? {}
        : {
            selectionType: 'multi' as const,
            selectedItems: selection.selected,
            isItemDisabled: selection.isDisabled,
            onSelectionChange: ({ detail }: { detail: { selectedItems: Row[] } }) =>
              selection.onSelect(detail.selectedItems),
          })}
      pagination={
        pages === undefined || pages.count === 1 ? undefined : (
          <Pagination
            currentPageIndex={pages.index}
            pagesCount={pages.count}
            ariaLabels={{ nextPageLabel: 'Next page', previousPageLabel: 'Previous page' }}
            onChange={({ detail }) => pages.turnTo(detail.currentPageIndex)}
          />
        )
      }
    />
  );
  if (error === undefined) return table;
  return (
    <SpaceBetween size="m">
      <LoadFailure error={error} onRetry={props.onRetry} />
      {/* The filter stays, so that it can be corrected. */}
      {rows === undefined && props.filter === undefined ? null : table}
    </SpaceBetween>
  );
}
