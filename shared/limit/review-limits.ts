/**
 * Reviews the rows of `limit-overrides`: after a change, when they expire, and all of them from time to time. A
 * review adds rows that expire soon to the due-item index, so that the run of each minute reads only clients with
 * expired rows.
 */
import { isClientId } from '../client/client.ts';
import { type Caps, everyClient } from '../contract/rate-limits-and-caps.ts';
import type { EditedRow } from '../edited-table/edited-row.ts';
import {
  clientExistence,
  type ExistingClients,
  type Feedback,
  type FeedbackStore,
  type Reviewed,
  reviewRows,
} from '../edited-table/feedback.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import type { DueItem, DueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import { type DueItemRun, processDueItems } from '../recovery/process-due-items.ts';
import { feedbackOf } from './limit-feedback.ts';
import { type ParsedRow, parseRow } from './override-row.ts';

interface LimitReviewDependencies<Image> {
  readonly store: FeedbackStore<Image>;
  readonly existingClients: ExistingClients;
  readonly capDefaults: Caps;
  /** The currency of caps on spend, ISO 4217. */
  readonly currency: string;
  readonly clock: Clock;
  readonly dueItemIndex: Pick<DueItemIndex, 'add'>;
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

/** All rows are reviewed this often: by then every row is soon to expire before it does. */
export const wholeReviewSeconds = 3600;
/** Twice as much, so that one whole review may fail. */
const soonSeconds = 2 * wholeReviewSeconds;

/** Reviews the clients that have an expired row. @throws AggregateError; the next run reviews the failed ones. */
export async function reviewExpired<Image>(
  dependencies: LimitReviewDependencies<Image> & DueItemRun,
): Promise<Reviewed> {
  const total = { rows: 0, written: 0 };
  const { failures } = await processDueItems(dependencies, 'expiring-limits', async (clientIds) => {
    const { rows, written } = await reviewClients(dependencies, new Set(clientIds));
    total.rows += rows;
    total.written += written;
    return new Map();
  });
  if (failures.length > 0) throw new AggregateError(failures, 'some expired limits could not be reviewed');
  return total;
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
  { existingClients, capDefaults, currency, clock, dueItemIndex }: LimitReviewDependencies<Image>,
  rows: readonly EditedRow[],
): Promise<(row: EditedRow) => Feedback> {
  const forEveryClient = new Map(
    rows
      .filter(({ client_id }) => String(client_id) === everyClient)
      .map((row): [string, ParsedRow] => [String(row.endpoint), parseRow(row)]),
  );
  const exists = await clientExistence(rows, existingClients);
  const now = clock();
  await dueItemIndex.add('expiring-limits', expiringSoon(rows, now));
  return (row) =>
    feedbackOf(row, {
      now,
      clientExists: exists(String(row.client_id)),
      forEveryClient: forEveryClient.get(String(row.endpoint)),
      capDefaults,
      currency,
    });
}

/** Returns the rows that expire soon. A row whose `client_id` cannot be an id is invalid, and stays invalid. */
function expiringSoon(rows: readonly EditedRow[], now: Date): DueItem[] {
  return rows.map(parseRow).flatMap(({ clientId: id, expiresAt: dueAt }) => {
    const isSoon = dueAt !== undefined && dueAt > now && dueAt <= addSeconds(now, soonSeconds);
    return isSoon && (id === everyClient || isClientId(id)) ? [{ id, dueAt }] : [];
  });
}
