/**
 * Reviews the rows of `limit-overrides`: after a change, when they expire, and all of them from time to time. The run of each
 * minute scans the table for rows that have expired, because it is small: administrators edit it by hand.
 */
import { type Caps, everyClient } from '../contract/rate-limits-and-caps.ts';
import {
  clientExistence,
  type ExistingClients,
  type Feedback,
  type FeedbackStore,
  type Reviewed,
  reviewRows,
} from '../edited-table/feedback.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { feedbackOf } from './limit-feedback.ts';
import { type ParsedRow, parseRow } from './overrides.ts';

interface LimitReviewDependencies<Image> {
  readonly store: FeedbackStore<Image>;
  readonly existingClients: ExistingClients;
  readonly capDefaults: Caps;
  /** The currency of caps on spend, ISO 4217. */
  readonly currency: string;
  readonly clock: Clock;
}

/**
 * Reviews the rows of these clients. If `*` is one of them, reviews every row, because it applies to clients whose
 * own row has expired.
 */
export async function reviewClients<Image>(
  dependencies: LimitReviewDependencies<Image>,
  clientIds: ReadonlySet<string>,
): Promise<Reviewed> {
  if (clientIds.size === 0) return { rows: 0, written: 0 };
  if (clientIds.has(everyClient)) return reviewAll(dependencies);
  const { store } = dependencies;
  const ids = [...clientIds, everyClient];
  return reviewRows(
    store,
    async () => (await Promise.all(ids.map((clientId) => store.rowsOf(clientId)))).flat(),
    (rows) => feedbackFor(dependencies, rows),
  );
}

/** All rows are reviewed this often. */
export const wholeReviewSeconds = 3600;

/** Reviews the clients that have a row whose time is over and whose feedback does not say so. */
export async function reviewExpired<Image>(dependencies: LimitReviewDependencies<Image>): Promise<Reviewed> {
  const { store, clock } = dependencies;
  const now = clock();
  const rows = (await store.notYetExpired()).map(parseRow);
  const expired = rows.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
  return reviewClients(dependencies, new Set(expired.map(({ clientId }) => clientId)));
}

/**
 * Reviews every row, even those that no change and no time makes due, such as the row of a client that was created
 * later.
 */
export async function reviewAll<Image>(dependencies: LimitReviewDependencies<Image>): Promise<Reviewed> {
  const { store } = dependencies;
  return reviewRows(
    store,
    () => store.allRows(),
    (rows) => feedbackFor(dependencies, rows),
  );
}

async function feedbackFor<Image>(
  { existingClients, capDefaults, currency, clock }: LimitReviewDependencies<Image>,
  rows: readonly EditedRow[],
): Promise<(row: EditedRow) => Feedback> {
  const forEveryClient = new Map(
    rows
      .filter(({ client_id }) => String(client_id) === everyClient)
      .map((row): [string, ParsedRow] => [String(row.endpoint), parseRow(row)]),
  );
  const exists = await clientExistence(rows, existingClients);
  const now = clock();
  return (row) =>
    feedbackOf(row, {
      now,
      clientExists: exists(String(row.client_id)),
      forEveryClient: forEveryClient.get(String(row.endpoint)),
      capDefaults,
      currency,
    });
}
