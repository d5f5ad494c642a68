/**
 * Formats the output of a command: one JSON document, or text. Control characters are escaped, because clients and recipients
 * wrote much of the output.
 */

import type { Cell } from '../../shared/platform/csv.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';

type Field<Row> = { [Name in keyof Row & string]-?: Row[Name] extends Cell ? Name : never }[keyof Row &
  string];
/** A field whose name is the title; or a title, with a field or a function for the cells. */
export type Column<Row> = Field<Row> | readonly [title: string, of: Field<Row> | ((row: Row) => Cell)];

/** The space between columns. */
const gap = '  ';
/** A narrower column would show one word in each line. */
const sentenceWidthMin = 24;

/**
 * Returns the width of the terminal. Returns infinity if the output goes to a file or another program, which needs one line per
 * row.
 */
function terminalWidth(): number {
  return process.stdout.columns ?? Number.POSITIVE_INFINITY;
}

/**
 * Formats a table as text, with columns as wide as their contents. If the table is too wide for the terminal, it wraps
 * sentences. If it is still too wide, each row becomes a block with a line for each column. Nothing is cut off, so that ids can
 * be copied.
 */
export function textTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
  width = terminalWidth(),
): string {
  if (rows.length === 0) return empty;
  const pairs = columns.map((column) =>
    typeof column === 'string' ? ([wordsOf(column), column] as const) : column,
  );
  const cells = rows.map((row) =>
    pairs.map(([, of]) => inOneLine(String((typeof of === 'function' ? of(row) : row[of]) ?? '-'))),
  );
  const titles = pairs.map(([title]) => title.toUpperCase());
  const widths = fittingWidths(titles, cells, width);
  if (widths === undefined) return blocks(titles, cells, width);
  return [titles, ...cells].flatMap((line) => wrappedLine(line, widths)).join('\n');
}

/** Returns the widths of the columns. Undefined if even wrapped sentences do not fit. */
function fittingWidths(
  titles: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): readonly number[] | undefined {
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => (line[index] ?? '').length)),
  );
  const narrowest = titles.map((title, index) => {
    const words = cells.flatMap((line) => (line[index] ?? '').split(' '));
    const isSentence = words.length > cells.length;
    const needed = Math.max(sentenceWidthMin, title.length, ...words.map((word) => word.length));
    return isSentence ? Math.min(needed, widths[index] ?? 0) : (widths[index] ?? 0);
  });
  for (;;) {
    const excess = sumOf(widths) + gap.length * (widths.length - 1) - width;
    if (excess <= 0) return widths;
    const room = widths.map((own, index) => own - (narrowest[index] ?? 0));
    const widest = room.indexOf(Math.max(...room));
    const taken = Math.min(excess, room[widest] ?? 0);
    if (taken === 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - taken;
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function wrappedLine(line: readonly string[], widths: readonly number[]): string[] {
  const parts = line.map((cell, index) => wrapped(cell, widths[index] ?? 0));
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    parts
      .map((part, index) => (part[at] ?? '').padEnd(widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

/** Breaks a text between words. A word that is longer than the width gets its own line. */
function wrapped(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function blocks(titles: readonly string[], cells: readonly (readonly string[])[], width: number): string {
  return cells
    .map((line) =>
      alignedFields(
        line.map((cell, index) => [titles[index] ?? '', [cell]]),
        width,
      ),
    )
    .join('\n\n');
}

/** Formats one field per line, with aligned values. Each object of a list gets a line. */
export function textFields(fields: Readonly<Record<string, unknown>>, width = terminalWidth()): string {
  return alignedFields(
    Object.entries(fields).map(([name, value]) => [wordsOf(name), valueLines(value)]),
    width,
  );
}

function alignedFields(
  fields: readonly (readonly [name: string, values: readonly string[]])[],
  width: number,
): string {
  const nameWidth = Math.max(...fields.map(([name]) => name.length));
  return fields
    .flatMap(([name, values]) => {
      const lines = values.flatMap((value) => wrapped(value, width - nameWidth - gap.length));
      return lines.map((line, index) => `${(index === 0 ? name : '').padEnd(nameWidth)}${gap}${line}`);
    })
    .join('\n');
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

function valueLines(value: unknown): readonly string[] {
  const isListOfObjects = Array.isArray(value) && value.some((item) => typeof item === 'object');
  return isListOfObjects ? value.map(textValue) : [textValue(value)];
}

function textValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(textValue).join(', ') || '-';
  if (typeof value !== 'object') return inOneLine(String(value));
  const fields = Object.entries(value).map(
    ([name, field]) => `${inOneLine(wordsOf(name))} ${textValue(field)}`,
  );
  return fields.join(', ') || '-';
}
