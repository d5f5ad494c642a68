/** A table with pages, and with empty, loading and error states. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useListState } from '../route.ts';
import { LoadFailure, Refresh } from './loaded.tsx';

interface ListProps<Row> {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly filter?: ReactNode;
  readonly columns: readonly TableProps.ColumnDefinition<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** Where the rows are loaded by themselves: they can be refreshed, and loaded again after an error. */
  readonly query?: UseQueryResult;
  readonly nextCursor?: string | undefined;
  readonly emptyTitle?: string;
  /** Why there may be no rows. */
  readonly empty: string;
  /** Whether the filters may be the reason of having no rows. */
  readonly isFiltered?: boolean;
  readonly idOf: (row: Row) => string;
  readonly selection?: {
    readonly isDisabled: (row: Row) => boolean;
    readonly labelOf: (row: Row) => string;
  };
}

export function List<Row>({ rows, query, columns, selection, idOf, ...props }: ListProps<Row>) {
  const state = useListState();
  const selected = state.query.getAll('selected');
  /** The cursors of the pages up to this one; the first page has none. */
  const after = state.query.getAll('after');
  const pagesCount = after.length + (props.nextCursor === undefined ? 1 : 2);
  return (
    <SpaceBetween size="m">
      {query === undefined ? null : <LoadFailure query={query} />}
      <Table<Row>
        header={
          <Header
            variant="h2"
            description={props.description}
            actions={
              <SpaceBetween direction="horizontal" size="xs" alignItems="center">
                {query === undefined ? null : <Refresh query={query} />}
                {props.actions}
              </SpaceBetween>
            }
          >
            {props.title}
          </Header>
        }
        filter={props.filter}
        columnDefinitions={columns}
        items={rows ?? []}
        trackBy={idOf}
        // Rows stay visible while they are reloaded.
        loading={rows === undefined && query?.isFetching === true}
        loadingText="Loading"
        wrapLines
        enableKeyboardNavigation
        empty={
          <Box textAlign="center" color="inherit" padding="s">
            {query?.isError && rows === undefined ? (
              'This data could not be loaded.'
            ) : props.isFiltered === true ? (
              <SpaceBetween size="xs">
                <b>No matches for these filters</b>
                <Button onClick={() => state.clear()}>Clear filters</Button>
              </SpaceBetween>
            ) : (
              <>
                <b>{props.emptyTitle ?? 'Nothing here yet'}</b>
                <Box color="inherit">{props.empty}</Box>
              </>
            )}
          </Box>
        }
        ariaLabels={{
          tableLabel: props.title,
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
              selectedItems: rows?.filter((row) => selected.includes(idOf(row))) ?? [],
              isItemDisabled: selection.isDisabled,
              onSelectionChange: ({ detail }: { detail: { selectedItems: Row[] } }) =>
                state.change({ after, selected: detail.selectedItems.map(idOf) }, { replace: true }),
            })}
        pagination={
          pagesCount === 1 ? undefined : (
            <Pagination
              currentPageIndex={after.length + 1}
              pagesCount={pagesCount}
              ariaLabels={{ nextPageLabel: 'Next page', previousPageLabel: 'Previous page' }}
              onChange={({ detail }) =>
                state.change({
                  after: [...after, props.nextCursor ?? ''].slice(0, detail.currentPageIndex - 1),
                })
              }
            />
          )
        }
      />
    </SpaceBetween>
  );
}
