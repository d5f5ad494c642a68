/** A table with pages, and with empty, loading and error states. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Cell } from '../../shared/platform/csv.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { useListState } from '../route.ts';
import { numberText } from '../value-names.ts';
import type { Column } from './columns.ts';
import { LoadFailure, Refresh } from './loaded.tsx';
import { Time, WrappingLink } from './text.tsx';

interface ListProps<Row> {
  readonly title: string;
  readonly description?: string | undefined;
  readonly actions?: ReactNode;
  readonly filter?: ReactNode;
  /** Put the most important column first, because a narrow window shows only one or two columns. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** The query that loads the rows, if the list can refresh them and retry after an error. */
  readonly query?: UseQueryResult;
  /** True if another component is still loading the rows. */
  readonly isLoading?: boolean;
  /** True if the list has pages. */
  readonly isPaged?: boolean;
  readonly nextCursor?: string | undefined;
  /** The number of rows on all pages. If it is unknown, a plus follows the number of rows on this page. */
  readonly total?: number | undefined;
  readonly emptyTitle?: string;
  /** Shown if the list is empty; says why. */
  readonly empty: ReactNode;
  /** True if a filter is set, which may be why the list is empty. */
  readonly isFiltered?: boolean;
  readonly idOf: (row: Row) => string;
}

export function List<Row>({ rows, query, columns, idOf, isPaged = false, ...props }: ListProps<Row>) {
  const state = useListState();
  // Only one list on a page of the dashboard has pages.
  const page = isPaged ? state.page : 1;
  const isCounted = isPaged || props.total !== undefined;
  const pagesCount = page + (props.nextCursor === undefined ? 0 : 1);
  const sorted = columns.find(({ sort }) => sort !== undefined && sort === (state.order.sort || sort));
  const turn = (to: number): void => {
    if (to < page) state.turnBack(page - to);
    else if (props.nextCursor !== undefined) state.turnTo(props.nextCursor);
  };
  // A disabled query does not load anything.
  const isMissing = rows === undefined && query?.isEnabled !== false;
  const isLoading = query === undefined ? props.isLoading === true : query.isFetching || !query.isError;
  return (
    <SpaceBetween size="m">
      {query === undefined ? null : <LoadFailure query={query} />}
      <Table<Row>
        header={
          <Header
            variant="h2"
            description={props.description}
            {...(isCounted && rows !== undefined && rows.length > 0
              ? { counter: counterOf(rows.length, page, props.nextCursor, props.total) }
              : {})}
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
        columnDefinitions={columns.map((column, index) => ({
          ...column,
          id: column.title,
          header: column.title,
          isRowHeader: index === 0,
          sortingField: column.sort,
          cell: column.cell ?? ((row) => <Value {...{ column, row }} />),
        }))}
        items={rows ?? []}
        trackBy={idOf}
        // Rows stay visible during a refresh.
        loading={isMissing && isLoading}
        loadingText="Loading"
        wrapLines
        enableKeyboardNavigation
        {...(sorted === undefined
          ? {}
          : {
              sortingColumn: { sortingField: sorted.sort ?? '' },
              sortingDescending: state.order.descending === 'true',
              onSortingChange: ({ detail }: { detail: TableProps.SortingState<Row> }) =>
                state.change({
                  sort: detail.sortingColumn.sortingField ?? '',
                  descending: detail.isDescending === true ? 'true' : '',
                }),
            })}
        empty={
          <Box textAlign="center" color="inherit" padding="s">
            {isMissing ? (
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
        }}
        pagination={
          pagesCount === 1 ? undefined : (
            <Pagination
              currentPageIndex={page}
              pagesCount={pagesCount}
              ariaLabels={{ nextPageLabel: 'Next page', previousPageLabel: 'Previous page' }}
              onChange={({ detail }) => turn(detail.currentPageIndex)}
            />
          )
        }
      />
    </SpaceBetween>
  );
}

function Value<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const value = (column.field === undefined ? undefined : (row[column.field] as Cell)) ?? '–';
  if (column.isTime === true && value !== '–') return <Time at={String(value)} />;
  if (column.link !== undefined && value !== '–')
    return <WrappingLink href={column.link(row)}>{String(value)}</WrappingLink>;
  // A long URL would push other columns out of the window.
  return typeof value === 'number' ? (
    numberText(value)
  ) : (
    <span className="id">{inOneLine(String(value))}</span>
  );
}

/** Formats the row count, with a plus if there are more pages and the total is unknown. */
function counterOf(count: number, page: number, nextCursor?: string, total?: number): string {
  if (total !== undefined) return `(${numberText(total)})`;
  if (page > 1) return `(page ${page})`;
  return `(${count}${nextCursor === undefined ? '' : '+'})`;
}

/** A button in a row of a list. */
export function RowAction({
  text,
  of,
  isPending = false,
  isDisabled = false,
  onClick,
}: {
  readonly text: string;
  /** The name of the row, for screen readers. */
  readonly of: string;
  readonly isPending?: boolean;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button
      variant="inline-link"
      ariaLabel={`${text}: ${of}`}
      loading={isPending}
      disabled={isDisabled}
      onClick={onClick}
    >
      {text}
    </Button>
  );
}
