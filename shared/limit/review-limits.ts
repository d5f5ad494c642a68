/**
 * Reviews rows of `limit-overrides`: after each change, after they expire, and all of them every hour. Every minute, a run
 * scans the table for expired rows. The scan is cheap, because administrators enter the rows by hand.
 */
import { existingClients } from '../client/client-store.dynamo.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import type { Feedback } from '../edited-table/feedback.ts';
import {
  allStoredRows,
  clientExistence,
  notYetExpired,
  reviewRows,
  storedRowsOf,
} from '../edited-table/review-rows.dynamo.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { capDefaults } from './client-caps.ts';
import { feedbackOf } from './limit-feedback.ts';
import { overrideTable, type ParsedRow, parseRow } from './overrides.ts';

type ReviewContext = Context<'LIMIT_OVERRIDES_TABLE' | 'CLIENTS_TABLE' | 'STAGE_CAPS' | 'CURRENCY'>;

/**
 * Reviews the rows of these clients. If `*` is one of them, reviews every row, because the row for `*` applies when a
 * client's own row expires.
 */
export async function reviewClients(ctx: ReviewContext, clientIds: ReadonlySet<string>) {
  if (clientIds.size === 0) return { rows: 0, written: 0 };
  if (clientIds.has(everyClient)) return reviewAll(ctx);
  const ids = [...clientIds, everyClient];
  return reviewRows(
    ctx,
    overrideTable,
    async () => (await Promise.all(ids.map((id) => storedRowsOf(ctx, overrideTable, id)))).flat(),
    (rows) => feedbackFor(ctx, rows),
  );
}

/** All rows are reviewed this often. */
export const wholeReviewSeconds = 3600;

/** Reviews the clients with an expired row whose feedback does not show this yet. */
export async function reviewExpired(ctx: ReviewContext) {
  const now = ctx.clock();
  const rows = (await notYetExpired(ctx, overrideTable)).map(parseRow);
  const expired = rows.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
  return reviewClients(ctx, new Set(expired.map(({ clientId }) => clientId)));
}

/** Also finds rows that need new feedback without a change, such as the row of a client that was created later. */
export async function reviewAll(ctx: ReviewContext) {
  return reviewRows(
    ctx,
    overrideTable,
    () => allStoredRows(ctx, overrideTable),
    (rows) => feedbackFor(ctx, rows),
  );
}

async function feedbackFor(
  ctx: ReviewContext,
  rows: readonly EditedRow[],
): Promise<(row: EditedRow) => Feedback> {
  const forEveryClient = new Map(
    rows
      .filter(({ client_id }) => String(client_id) === everyClient)
      .map((row): [string, ParsedRow] => [String(row.endpoint), parseRow(row)]),
  );
  const exists = await clientExistence(rows, (ids) => existingClients(ctx, ids));
  const now = ctx.clock();
  return (row) =>
    feedbackOf(row, {
      now,
      clientExists: exists(String(row.client_id)),
      forEveryClient: forEveryClient.get(String(row.endpoint)),
      capDefaults: capDefaults(ctx.env.STAGE_CAPS),
      currency: ctx.env.CURRENCY,
    });
}
