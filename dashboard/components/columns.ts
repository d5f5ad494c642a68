/** A column of a list and of its CSV file, declared once. */
import type { ReactNode } from 'react';
import { type Cell, csvTable } from '../../shared/platform/csv.ts';

/** The names of the row's fields that contain one value. */
type Field<Row> = { [Name in keyof Row]-?: Row[Name] extends Cell ? Name : never }[keyof Row] & string;

export interface Column<Row> {
  /** If absent, the column is only in the CSV file. */
  readonly title?: string;
  readonly minWidth?: number;
  /** The field to show. The CSV file uses the same name. */
  readonly field?: Field<Row>;
  /** The name of the field in the CSV file, if it is different. */
  readonly csvName?: string;
  /** The value of `sort` in the admin API, if the list can be sorted by this column. */
  readonly sort?: string;
  /** True if the field is a time. */
  readonly isTime?: boolean;
  /** Returns the link of the value, if it has a page. */
  readonly link?: (row: Row) => string;
  /** Renders something else instead of the value. */
  readonly cell?: (row: Row) => ReactNode;
  /** Further columns of the CSV file, by name. */
  readonly csv?: Readonly<Record<string, (row: Row) => Cell>>;
}

export function fieldValue<Row>({ field }: Column<Row>, row: Row): Cell {
  return field === undefined ? undefined : (row[field] as Cell);
}

/** Returns columns that are only in the CSV file, because the list has no room for them. */
export function csvOnly<Row>(...fields: readonly Field<Row>[]): readonly Column<Row>[] {
  return fields.map((field) => ({ field }));
}

export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = columns.flatMap((column) => [
    ...(column.field === undefined
      ? []
      : [[column.csvName ?? column.field, (row: Row) => fieldValue(column, row)] as const]),
    ...Object.entries(column.csv ?? {}),
  ]);
  return csvTable(
    cells.map(([name]) => name),
    rows.map((row) => cells.map(([, cellOf]) => cellOf(row))),
  );
}
