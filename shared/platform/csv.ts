/** Tables as RFC 4180 has them, safe to open in a spreadsheet. */

type Cell = string | number | boolean | null | undefined;

/** Spreadsheets take a text that begins with one of these as a formula; an apostrophe before it makes it text (OWASP, "CSV Injection"). */
const formulaStart = /^[=+\-@\t\r\n]/;

/** Each line ends with CRLF, but for the last LF, which the command line prints. */
export function csvTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r`).join('\n');
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
