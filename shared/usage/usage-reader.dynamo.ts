/** Reads usage rows: by key for some clients in many periods, or with a query for all clients in one period. */
import * as z from 'zod/mini';
import { type Mode, modeOf } from '../contract/mode.ts';
import { batchRead, queryRows } from '../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { numbersIn } from '../platform/object-fields.ts';
import type { Amounts } from './amounts.ts';
import { additionAttribute } from './count-journal.dynamo.ts';

/** The amounts of one client, or of all clients (`*`), in one period. */
export interface UsageRow {
  readonly period: string;
  readonly clientId: string;
  readonly amounts: Amounts;
}

const usageRow = z.looseObject({ period: z.string(), client_id: z.string() });

/** Returns the existing rows, in no particular order. */
export async function usageRowsOf(
  { db, env }: Context<'MESSAGE_USAGE_TABLE'>,
  clientId: string,
  periods: readonly string[],
): Promise<UsageRow[]> {
  const keys = periods.map((period) => ({ period, client_id: clientId }));
  return (await batchRead(db, env.MESSAGE_USAGE_TABLE, keys)).map(parsed);
}

/** Returns the rows of all clients with messages of this mode in this period, and the row with the sums of all clients. */
export async function usageRowsIn(
  { db, env }: Context<'MESSAGE_USAGE_TABLE'>,
  period: string,
  mode: Mode = 'live',
): Promise<UsageRow[]> {
  const rows = queryRows(db, {
    TableName: env.MESSAGE_USAGE_TABLE,
    KeyConditionExpression: '#period = :period',
    ExpressionAttributeNames: { '#period': 'period' },
    ExpressionAttributeValues: { ':period': period },
  });
  return (await Array.fromAsync(rows, parsed)).filter(({ clientId }) => modeOf(clientId) === mode);
}

function parsed(row: unknown): UsageRow {
  const { period, client_id, purge_at, [additionAttribute]: _, ...amounts } = usageRow.parse(row);
  return { period, clientId: client_id, amounts: new Map(numbersIn(amounts)) };
}
