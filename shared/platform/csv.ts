/** Reads and writes CSV tables (RFC 4180) that are safe to open in a spreadsheet. */

export type Cell = string | number | boolean | null | undefined;

/**
 * Matches the start of a text that a spreadsheet would read as a formula. In some languages, full-width characters also
 * start one. An apostrophe before this start prevents it (OWASP, "CSV Injection"). If a spreadsheet uses another separator
 * than the comma, a separator or line end inside a quoted cell begins a new cell.
 */
const formulaStart = /(^|[;\t|\r\n])(["\s]*)(?=[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;
const guard = /(^|[;\t|\r\n])(["\s]*)'(?=[=+\-@＝＋－＠])|^'(?=[\t\r\n])/g;

/**
 * An E.164 phone number gets no apostrophe, because other programs would not recognize it, and a plus before digits
 * computes nothing.
 */
const phoneNumber = /^\+[1-9]\d{6,14}$/;

/** Returns a CSV table. Each line ends with CRLF except the last, because the command line adds its own line end. */
export function csvTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r`).join('\n');
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell ?? '');
  if (phoneNumber.test(cell)) return cell;
  const text = cell.replace(formulaStart, "$1$2'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Parses a table as spreadsheets write it: with commas, semicolons or tabs (the first line decides), with or without a byte
 * order mark.
 */
export function parseCsv(text: string) {
  const source = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(source.slice(0, /[\r\n]|$/.exec(source)?.index));
  /** `line` is the line of the file on which the row begins, counted from 1. A quoted cell can span several lines. */
  const rows: { readonly line: number; readonly cells: readonly string[] }[] = [];
  let [line, start] = [1, 1];
  let [cells, cell, isQuoted] = [[] as string[], '', false];
  const endCell = (): void => {
    cells.push(withoutGuard(cell));
    cell = '';
  };
  for (let index = 0; index < source.length; index += 1) {
    const character = source.charAt(index);
    if (character === '\n') line += 1;
    if (isQuoted && character === '"') {
      if (source.charAt(index + 1) === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (isQuoted) cell += character;
    else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator) endCell();
    else if (character === '\n') {
      endCell();
      rows.push({ line: start, cells });
      [cells, start] = [[], line];
    } else if (character !== '\r') cell += character;
  }
  if (cell !== '' || cells.length > 0) {
    endCell();
    rows.push({ line: start, cells });
  }
  return rows;
}

function separatorOf(firstLine: string): string {
  const count = (separator: string): number => firstLine.split(separator).length;
  return [';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best), ',');
}

/** Removes the apostrophe that `csvTable` adds before a formula. */
function withoutGuard(cell: string): string {
  return cell.replace(guard, '$1$2');
}
