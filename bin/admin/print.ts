/**
 * The output of a command: one JSON document, or text. Much of it was written by clients and by people who write to
 * them, so characters that control a terminal are escaped.
 */

/**
 * Control characters except line feed, tab and the CR of a CRLF, and characters that reorder text (Unicode, UAX #9).
 */
const actedOn = /(?!\r\n)[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes control characters as JSON does, so that a JSON document keeps its meaning. */
export function printable(text: string): string {
  return text.replace(actedOn, escaped);
}

/** Escapes a value so that it cannot look like further lines or columns. */
function inOneLine(text: string): string {
  return printable(text.replace(/[\t\n\r]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null | undefined;
}

/** Formats a table as text, with columns as wide as their contents. */
export function textTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const cells = rows.map((row) => columns.map((column) => inOneLine(String(column.of(row) ?? '-'))));
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

/** Formats one field per line, with aligned values. */
export function textFields(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(width)}  ${textValue(value)}`)
    .join('\n');
}

function textValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(textValue).join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : inOneLine(String(value));
}
