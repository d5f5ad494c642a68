/** Saves rows as a CSV file, which is safe to open in a spreadsheet. */
import { csvTable } from '../../shared/platform/csv.ts';

type Cell = string | number | boolean | null | undefined;

/** By the name of the column. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export function downloadRows<Row>(name: string, columns: CsvColumns<Row>, rows: readonly Row[]): void {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  downloadCsv(name, csvTable(Object.keys(columns), cells));
}

export function downloadCsv(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** As many as people read in a spreadsheet; a download of more has its own means (docs/usage.md). */
const rowsMax = 1000;

/** The query of a page, as long as the admin API allows. */
export function longestPage(cursor: string | undefined) {
  return { cursor, limit: '100' };
}

type PageQuery = ReturnType<typeof longestPage>;

/** Reads one page of a list. */
export type ReadPage<Row> = (page: PageQuery) => Promise<Page<Row>>;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** The first pages of a list, up to 1,000 rows. */
export async function firstRows<Row>(
  readPage: ReadPage<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly isAll: boolean }> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(longestPage(cursor));
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== undefined && rows.length < rowsMax);
  return { rows, isAll: cursor === undefined };
}
