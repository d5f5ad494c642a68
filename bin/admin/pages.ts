/** Commands that list rows: all pages of the admin operations, or as many rows as `--limit` says. */
import { type Command, InvalidArgumentError } from 'commander';

/** The maximum size of a page. */
const pageSize = 100;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor?: string | undefined;
}

interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Whether there may be more rows than `--limit`. */
  readonly more: boolean;
}

export interface ListOptions {
  readonly limit?: number;
}

export function withLimit(command: Command, byDefault = 'all'): Command {
  return command.option('--limit <number>', `the number of rows; default: ${byDefault}`, (text) => {
    const limit = Number(text);
    if (!Number.isSafeInteger(limit) || limit < 1) throw new InvalidArgumentError('It must be 1 or more.');
    return limit;
  });
}

export async function readPages<Row>(
  read: (page: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<Row>>,
  { limit = Number.POSITIVE_INFINITY }: ListOptions,
): Promise<Listed<Row>> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: Math.min(pageSize, limit - rows.length), cursor });
    rows.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== undefined && rows.length < limit);
  return { rows, more: cursor !== undefined };
}

/** The line below a table that `--limit` ended. */
export function moreText({ rows, more }: Listed<unknown>): readonly string[] {
  return more ? [`These are the first ${rows.length} rows; there may be more.`] : [];
}
