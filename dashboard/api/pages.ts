/** Reads a list of the admin API page by page. */
import { ApiError, isFinal, retriesMax } from './api-error.ts';

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | undefined;
  /** A sentence about the missing rows, if the list is not complete. */
  readonly leftOut?: string | undefined;
}

/** Returns the query of a page of the largest size that the admin API allows. */
export function longestPage(cursor: string | undefined) {
  return { cursor, limit: '100' };
}

export type ReadPage<Row> = (page: ReturnType<typeof longestPage>) => Promise<Page<Row>>;

/** The pause before a retry. The admin API allows an administrator ten requests a second. */
const pauseMs = 10_000;
const pausesMax = 30;

/**
 * Reads all pages of a list. Returns the rows, with the first page's sentence about missing rows.
 *
 * @param onRows - called after each page with the number of rows so far; returns false to end there
 * @returns undefined if `onRows` ended the reading
 */
export async function allRows<Row>(
  readPage: ReadPage<Row>,
  onRows: (count: number) => boolean,
  pause: () => Promise<unknown> = () => new Promise((resolve) => setTimeout(resolve, pauseMs)),
) {
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
 * Retries a page after a pause. A long list has more pages than an administrator may request in a minute, and one failed page
 * must not spoil the file.
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
