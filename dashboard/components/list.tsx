/** A table with pages, and with empty, loading and error states. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { type UseQueryResult, useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useDashboard } from '../context.ts';
import { useListState } from '../route.ts';
import { type CsvColumns, downloadRows, firstRows, type ReadPage } from './download.ts';
import { LoadFailure, Refresh } from './loaded.tsx';

interface Csv<Row> {
  /** Without `.csv`. */
  readonly name: string;
  readonly columns: CsvColumns<Row>;
  /** Where the list has pages. */
  readonly readPage?: ReadPage<Row>;
}

export type Column<Row> = TableProps.ColumnDefinition<Row>;

interface ListProps<Row> {
  readonly title: string;
  readonly description?: string | undefined;
  readonly actions?: ReactNode;
  readonly filter?: ReactNode;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** Where the rows are loaded by themselves: they can be refreshed, and loaded again after an error. */
  readonly query?: UseQueryResult;
  /** Where they are loaded by somebody else. */
  readonly isLoading?: boolean;
  readonly nextCursor?: string | undefined;
  /** Whether the title has the number of rows: with a plus where there are further pages. */
  readonly isCounted?: boolean;
  readonly csv?: Csv<Row>;
  readonly emptyTitle?: string;
  /** Why there may be no rows. */
  readonly empty: ReactNode;
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
  // Of several lists on a page, one has pages.
  const cursors = 'nextCursor' in props ? state.cursors : [];
  const pagesCount = cursors.length + (props.nextCursor === undefined ? 1 : 2);
  return (
    <SpaceBetween size="m">
      {query === undefined ? null : <LoadFailure query={query} />}
      <Table<Row>
        header={
          <Header
            variant="h2"
            description={props.description}
            {...(props.isCounted === true && rows !== undefined && rows.length > 0
              ? { counter: counterOf(rows.length, cursors.length, props.nextCursor) }
              : {})}
            actions={
              <SpaceBetween direction="horizontal" size="xs" alignItems="center">
                {query === undefined ? null : <Refresh query={query} />}
                {props.csv === undefined ? null : (
                  <DownloadCsv csv={props.csv} rows={rows ?? []} of={props.title} />
                )}
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
        loading={rows === undefined && (query?.isFetching === true || props.isLoading === true)}
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
              selectedItems: rows?.filter((row) => state.selected.includes(idOf(row))) ?? [],
              isItemDisabled: selection.isDisabled,
              onSelectionChange: ({ detail }: { detail: { selectedItems: Row[] } }) =>
                state.change({ after: cursors, selected: detail.selectedItems.map(idOf) }, { replace: true }),
            })}
        pagination={
          pagesCount === 1 ? undefined : (
            <Pagination
              currentPageIndex={cursors.length + 1}
              pagesCount={pagesCount}
              ariaLabels={{ nextPageLabel: 'Next page', previousPageLabel: 'Previous page' }}
              onChange={({ detail }) =>
                state.change({
                  after: [...cursors, props.nextCursor ?? ''].slice(0, detail.currentPageIndex - 1),
                })
              }
            />
          )
        }
      />
    </SpaceBetween>
  );
}

/** The rows of further pages are not counted, as no index knows their number. */
function counterOf(count: number, pagesBefore: number, nextCursor: string | undefined): string {
  if (pagesBefore > 0) return `(page ${pagesBefore + 1})`;
  return `(${count}${nextCursor === undefined ? '' : '+'})`;
}

interface DownloadCsvProps<Row> {
  readonly csv: Csv<Row>;
  /** Of this page. */
  readonly rows: readonly Row[];
  /** The title of the list. */
  readonly of: string;
}

function DownloadCsv<Row>({ csv: { name, columns, readPage }, rows, of }: DownloadCsvProps<Row>) {
  const { notify } = useDashboard();
  const load = useMutation({
    mutationFn: async () => (readPage === undefined ? { rows, isAll: true } : await firstRows(readPage)),
    onSuccess: ({ rows: loaded, isAll }) => {
      downloadRows(`${name}.csv`, columns, loaded);
      if (!isAll) notify('success', `The file has the first ${loaded.length.toLocaleString()} rows.`);
    },
  });
  return (
    <Button
      iconName="download"
      ariaLabel={`Download CSV: ${of}`}
      disabled={rows.length === 0}
      loading={load.isPending}
      onClick={() => load.mutate()}
    >
      CSV
    </Button>
  );
}
