/** Reads a list of the admin API page by page. */

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | undefined;
}

/** The query of a page, as long as the admin API allows. */
export function longestPage(cursor: string | undefined) {
  return { cursor, limit: '100' };
}

export type ReadPage<Row> = (page: ReturnType<typeof longestPage>) => Promise<Page<Row>>;

/** As many as people read in a spreadsheet; a download of more has its own means (docs/usage.md). */
const rowsMax = 1000;

/** The first pages of a list, up to 1,000 rows. */
export async function firstRows<Row>(
  readPage: ReadPage<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly isAll: boolean }> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(longestPage(cursor));
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== undefined && rows.length < rowsMax);
  return { rows, isAll: cursor === undefined };
}
