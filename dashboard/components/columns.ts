/** A column of a list. */
import type { ReactNode } from 'react';
import type { Cell } from '../../shared/platform/csv.ts';

export interface Column<Row> {
  readonly title: string;
  readonly minWidth?: number;
  /** The field to show. */
  readonly field?: { [Name in keyof Row]-?: Row[Name] extends Cell ? Name : never }[keyof Row] & string;
  /** The value of `sort` in the admin API, if the list can be sorted by this column. */
  readonly sort?: string;
  /** True if the field is a time. */
  readonly isTime?: boolean;
  /** Returns the link to the page of the value, if there is such a page. */
  readonly link?: (row: Row) => string;
  /** Renders the cell, in place of the plain value. */
  readonly cell?: (row: Row) => ReactNode;
}
