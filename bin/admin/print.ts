/**
 * Formats the output of a command: one JSON document, or text. Control characters are escaped, because clients and recipients
 * wrote much of the output.
 */

import type { Cell } from '../../shared/platform/csv.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';

type Field<Row> = { [Name in keyof Row & string]-?: Row[Name] extends Cell ? Name : never }[keyof Row &
  string];
/** A field, whose name is then the title; or a title with a field or a function that returns the cells. */
export type Column<Row> = Field<Row> | readonly [title: string, of: Field<Row> | ((row: Row) => Cell)];

/** The space between columns. */
const gap = '  ';

/** Formats a table as text, with columns as wide as their contents. A text without spaces can be copied whole. */
export function textTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const pairs = columns.map((column) =>
    typeof column === 'string' ? ([wordsOf(column), column] as const) : column,
  );
  const cells = rows.map((row) =>
    pairs.map(([, of]) => inOneLine(String((typeof of === 'function' ? of(row) : row[of]) ?? '-'))),
  );
  const lines = [pairs.map(([title]) => title.toUpperCase()), ...cells];
  const widths = pairs.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join(gap)
        .trimEnd(),
    )
    .join('\n');
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ');
