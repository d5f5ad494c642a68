/** Reviews the rows of `limit-overrides`: after a change, and every minute, because rows expire. */
import { type Caps, everyClient } from '../../contract/limit-rows.ts';
import type { EditedRow } from '../../edited-table/edited-row.ts';
import type { Feedback } from '../../edited-table/feedback.ts';
import {
  clientExistence,
  type ExistingClients,
  type FeedbackStore,
  type Reviewed,
  reviewRows,
} from '../../edited-table/review-rows.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ParsedRow, parseRow } from '../override-row.ts';
import { feedbackOf } from './limit-feedback.ts';

export interface ReviewDependencies<Image> {
  readonly store: FeedbackStore<Image>;
  readonly existingClients: ExistingClients;
  readonly capDefaults: Caps;
  /** Of caps on spend, ISO 4217. */
  readonly currency: string;
  readonly clock: Clock;
}

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
  const ids = [...clientIds, everyClient];
  return reviewRows(
    store,
    async () => (await Promise.all(ids.map((clientId) => store.rowsOf(clientId)))).flat(),
    (rows) => feedbackFor(dependencies, rows),
  );
}

/** Every row: after the gateway is deployed, and every minute, for rows that expire. */
export async function reviewAll<Image>(dependencies: ReviewDependencies<Image>): Promise<Reviewed> {
  const { store } = dependencies;
  return reviewRows(
    store,
    () => store.allRows(),
    (rows) => feedbackFor(dependencies, rows),
  );
}

async function feedbackFor<Image>(
  { existingClients, capDefaults, currency, clock }: ReviewDependencies<Image>,
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
