/**
 * Brings the feedback in rows of `limit-overrides` up to date. A review follows from the rows alone, and a row whose
 * feedback is right is not written: so it can be repeated, cut short, and run twice at once. A write applies only to the
 * row as it was read, so it neither creates a deleted row again nor replaces the feedback of a newer edit.
 */
import { everyClient } from '../../contract/limit-rows.ts';
import type { Clock } from '../../platform/clock.ts';
import { chunksOf } from '../../platform/split-into-chunks.ts';
import { type OverrideRow, type ParsedRow, parseRow } from '../override-row.ts';
import type { CapDefaults } from './endpoint-in-force.ts';
import { type Feedback, feedbackOf } from './feedback.ts';

export interface StoredRow<Image> {
  readonly row: OverrideRow;
  /** The row in the form of its table. */
  readonly image: Image;
}

export interface FeedbackStore<Image> {
  rowsOf(clientId: string): Promise<readonly StoredRow<Image>[]>;
  allRows(): Promise<readonly StoredRow<Image>[]>;
  /** Whether it was written: not if the row has changed since it was read, or is gone. */
  write(stored: StoredRow<Image>, feedback: Feedback): Promise<boolean>;
}

export interface ReviewDependencies<Image> {
  readonly store: FeedbackStore<Image>;
  /** Those of the ids that are clients. */
  readonly existingClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly capDefaults: CapDefaults;
  /** Of caps on spend, ISO 4217. */
  readonly currency: string;
  readonly clock: Clock;
}

export interface Reviewed {
  readonly rows: number;
  readonly written: number;
}

const writesAtOnce = 25;
/** A row that changes again during each of them is edited, and its next change starts a review of its own. */
const attempts = 3;

/**
 * Reviews the rows of these clients; if `*` is one of them, every row, because it changes what holds for clients whose
 * own row has expired.
 */
export async function reviewClients<Image>(
  dependencies: ReviewDependencies<Image>,
  clientIds: ReadonlySet<string>,
): Promise<Reviewed> {
  if (clientIds.size === 0) return { rows: 0, written: 0 };
  if (clientIds.has(everyClient)) return reviewAll(dependencies);
  const { store } = dependencies;
  return review(dependencies, async () => {
    const ids = [...clientIds, everyClient];
    return (await Promise.all(ids.map((clientId) => store.rowsOf(clientId)))).flat();
  });
}

/** Every row: after the gateway is deployed, and every minute, for rows that expire. */
export async function reviewAll<Image>(dependencies: ReviewDependencies<Image>): Promise<Reviewed> {
  return review(dependencies, () => dependencies.store.allRows());
}

async function review<Image>(
  dependencies: ReviewDependencies<Image>,
  read: () => Promise<readonly StoredRow<Image>[]>,
): Promise<Reviewed> {
  let written = 0;
  for (let attempt = 1; ; attempt += 1) {
    const rows = await read();
    const due = await outdated(dependencies, rows);
    let changed = 0;
    for (const chunk of chunksOf(due, writesAtOnce)) {
      const applied = await Promise.all(
        chunk.map(({ stored, feedback }) => dependencies.store.write(stored, feedback)),
      );
      written += applied.filter(Boolean).length;
      changed += applied.filter((one) => !one).length;
    }
    if (changed === 0 || attempt === attempts) return { rows: rows.length, written };
  }
}

async function outdated<Image>(
  { existingClients, capDefaults, currency, clock }: ReviewDependencies<Image>,
  rows: readonly StoredRow<Image>[],
): Promise<readonly { readonly stored: StoredRow<Image>; readonly feedback: Feedback }[]> {
  const clientOf = ({ row }: StoredRow<Image>): string => String(row.client_id);
  const forEveryClient = new Map(
    rows
      .filter((stored) => clientOf(stored) === everyClient)
      .map(({ row }): [string, ParsedRow] => [String(row.endpoint), parseRow(row)]),
  );
  const ids = new Set(rows.map(clientOf).filter((id) => id !== everyClient));
  const existing = await existingClients([...ids]);
  const now = clock();
  return rows.flatMap((stored) => {
    const { row } = stored;
    const feedback = feedbackOf(row, {
      now,
      clientExists: clientOf(stored) === everyClient || existing.has(clientOf(stored)),
      forEveryClient: forEveryClient.get(String(row.endpoint)),
      capDefaults,
      currency,
    });
    const right = row.status === feedback.status && row.status_message === feedback.status_message;
    return right ? [] : [{ stored, feedback }];
  });
}
