/** Reads a list of the admin API page by page. */
import { ApiError, isFinal, retriesMax } from './api-error.ts';

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | undefined;
  /** What the list leaves out, where it is not complete. */
  readonly leftOut?: string | undefined;
}

/** The query of a page, as long as the admin API allows. */
export function longestPage(cursor: string | undefined) {
  return { cursor, limit: '100' };
}

export type ReadPage<Row> = (page: ReturnType<typeof longestPage>) => Promise<Page<Row>>;

/** The admin API takes ten requests a second of an administrator. */
const pauseMs = 10_000;
const pausesMax = 30;

/**
 * All rows of a list, however many pages it has, and what its first page says that the list leaves out.
 *
 * @param onRows - called after each page with the number of rows so far; returns false to end there
 * @returns undefined where it was ended
 */
export async function allRows<Row>(
  readPage: ReadPage<Row>,
  onRows: (count: number) => boolean,
  pause: () => Promise<unknown> = () => new Promise((resolve) => setTimeout(resolve, pauseMs)),
): Promise<Pick<Page<Row>, 'rows' | 'leftOut'> | undefined> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  let leftOut: string | undefined;
  do {
    const page = await repeated(() => readPage(longestPage(cursor)), pause);
    rows.push(...page.rows);
    if (cursor === undefined) leftOut = page.leftOut;
    if (!onRows(rows.length)) return undefined;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { rows, leftOut };
}

/**
 * A long list has more pages than an administrator may request in a minute: the rest waits, instead of being left out. One slow
 * or failed page does not spoil the file either.
 */
async function repeated<Result>(read: () => Promise<Result>, pause: () => Promise<unknown>): Promise<Result> {
  let failures = 0;
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await read();
    } catch (error) {
      const isTooFast = error instanceof ApiError && error.status === 429;
      if (!isTooFast) failures += 1;
      const mayWork = isTooFast || (error instanceof ApiError && !isFinal(error) && failures <= retriesMax);
      if (!mayWork || pauses === pausesMax) throw error;
      await pause();
    }
  }
}
