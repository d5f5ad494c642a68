/** The output of a command: one JSON document, or text. */

interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null | undefined;
}

/** A table as text, with columns as wide as their contents. */
export function textTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const cells = rows.map((row) => columns.map((column) => String(column.of(row) ?? '-')));
  const lines = [columns.map(({ title }) => title.toUpperCase()), ...cells];
  const widths = columns.map((_column, index) =>
    Math.max(...lines.map((line) => (line[index] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One field per line, with aligned values. */
export function textFields(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(width)}  ${textValue(value)}`)
    .join('\n');
}

function textValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(textValue).join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
