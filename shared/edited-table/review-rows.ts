/**
 * Brings the feedback in rows that people edit up to date. A review follows from the rows alone, and a row whose feedback
 * is right is not written: so it can be repeated, cut short, and run twice at once. A write applies only to the row as it
 * was read, so it neither creates a deleted row again nor replaces the feedback of a newer edit.
 */
import { everyClient } from '../contract/limit-rows.ts';
import { chunksOf } from '../platform/long-lists.ts';
import type { EditedRow } from './edited-row.ts';
import type { Feedback } from './feedback.ts';

export interface StoredRow<Image> {
  readonly row: EditedRow;
  /** The row in the form of its table. */
  readonly image: Image;
}

export interface FeedbackStore<Image> {
  rowsOf(clientId: string): Promise<readonly StoredRow<Image>[]>;
  allRows(): Promise<readonly StoredRow<Image>[]>;
  /** Whether it was written: not if the row has changed since it was read, or is gone. */
  write(stored: StoredRow<Image>, feedback: Feedback): Promise<boolean>;
}

export interface Reviewed {
  readonly rows: number;
  readonly written: number;
}

/** The ids that are clients. */
export type ExistingClients = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

const writesAtOnce = 25;
/** A row that changes again during each of them is edited, and its next change starts a review of its own. */
const attempts = 3;

/** @param feedbackFor - the feedback for each row, which may depend on the other rows that were read */
export async function reviewRows<Image>(
  { write }: Pick<FeedbackStore<Image>, 'write'>,
  read: () => Promise<readonly StoredRow<Image>[]>,
  feedbackFor: (rows: readonly EditedRow[]) => Promise<(row: EditedRow) => Feedback>,
): Promise<Reviewed> {
  let written = 0;
  for (let attempt = 1; ; attempt += 1) {
    const stored = await read();
    const feedbackOf = await feedbackFor(stored.map(({ row }) => row));
    const due = stored
      .map((one) => ({ stored: one, feedback: feedbackOf(one.row) }))
      .filter(({ stored: { row }, feedback }) => !isRight(row, feedback));
    let changed = 0;
    for (const chunk of chunksOf(due, writesAtOnce)) {
      const applied = await Promise.all(chunk.map((one) => write(one.stored, one.feedback)));
      written += applied.filter(Boolean).length;
      changed += applied.filter((one) => !one).length;
    }
    if (changed === 0 || attempt === attempts) return { rows: stored.length, written };
  }
}

function isRight({ status, status_message }: EditedRow, feedback: Feedback): boolean {
  return status === feedback.status && status_message === feedback.status_message;
}

/** Whether a row's `client_id` is a client, or `*`. */
export async function clientExistence(
  rows: readonly EditedRow[],
  existingClients: ExistingClients,
): Promise<(clientId: string) => boolean> {
  const ids = new Set(rows.map(({ client_id }) => String(client_id)).filter((id) => id !== everyClient));
  const existing = await existingClients([...ids]);
  return (clientId) => clientId === everyClient || existing.has(clientId);
}
