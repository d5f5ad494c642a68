/** Reads lists of the admin API: all pages, or as many rows as `--limit` says. */
import { InvalidArgumentError } from 'commander';
import type { AdminCommand, CommandResult } from './command.ts';

/** The maximum size of a page. */
const pageSize = 100;

export interface ListOptions {
  readonly limit?: number;
}

export function withLimit(command: AdminCommand, byDefault = 'all'): AdminCommand {
  return command.option('--limit <number>', `the number of rows; default: ${byDefault}`, (text) => {
    const limit = Number(text);
    if (!Number.isSafeInteger(limit) || limit < 1) throw new InvalidArgumentError('It must be 1 or more.');
    return limit;
  });
}

export async function readPages<Name extends string, Row>(
  name: Name,
  read: (page: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }) => Promise<Readonly<Record<Name, readonly Row[]>> & { readonly next_cursor?: string }>,
  { limit = Number.POSITIVE_INFINITY }: ListOptions,
) {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: Math.min(pageSize, limit - rows.length), cursor });
    rows.push(...page[name]);
    cursor = page.next_cursor;
  } while (cursor !== undefined && rows.length < limit);
  return { rows, /** True if there may be more rows than `--limit`. */ more: cursor !== undefined };
}

/** Returns the result of a list command: the rows as JSON under their name, and as a table. */
export async function listResult<Name extends string, Row>(
  name: Name,
  read: Parameters<typeof readPages<Name, Row>>[1],
  options: ListOptions,
  tableOf: (rows: readonly Row[]) => string,
): Promise<CommandResult> {
  const listed = await readPages(name, read, options);
  const { rows, more } = listed;
  return { json: { [name]: rows, more }, text: () => [tableOf(rows), ...moreText(listed)] };
}

/** Returns the line below a table that `--limit` cut off. */
export function moreText({
  rows,
  more,
}: {
  readonly rows: readonly unknown[];
  readonly more: boolean;
}): readonly string[] {
  return more ? [`These are the first ${rows.length} rows; there may be more.`] : [];
}
