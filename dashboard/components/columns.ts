/** A column of a list and of its CSV file, declared once. */
import type { ReactNode } from 'react';
import { csvTable } from '../../shared/platform/csv.ts';

type CsvCell = string | number | boolean | null | undefined;

/** The names of the row's fields that hold one value. */
type Field<Row> = { [Name in keyof Row]-?: Row[Name] extends CsvCell ? Name : never }[keyof Row] & string;

export interface Column<Row> {
  /** A column without one is in the CSV file only. */
  readonly title?: string;
  readonly minWidth?: number;
  /** The field whose value is shown; it is in the CSV file by this name. */
  readonly field?: Field<Row>;
  /** Where the CSV file has another name for the field. */
  readonly csvName?: string;
  /** The order that the admin API takes as `sort`, where the list can be sorted by the column. */
  readonly sort?: string;
  /** Whether the value of the field is a time. */
  readonly isTime?: boolean;
  /** Where the value leads, if it has a page. */
  readonly link?: (row: Row) => string;
  /** What is shown instead of the value. */
  readonly cell?: (row: Row) => ReactNode;
  /** What the CSV file has of it besides the field, by name. */
  readonly csv?: Readonly<Record<string, (row: Row) => CsvCell>>;
}

/** The value of the column's field. */
export function fieldValue<Row>({ field }: Column<Row>, row: Row): CsvCell {
  return field === undefined ? undefined : (row[field] as CsvCell);
}

/** Columns of the CSV file that the list has no room for. */
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
