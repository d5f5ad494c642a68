/**
 * Stores the phone numbers of WhatsApp users, by Meta's id of the user and our sender: Meta told both in one callback
 * (contract 13.7). Rows of `whatsapp-windows`, under keys that no client has: `#user US.1349…`, or `#user test …` for test
 * data, and our sender.
 *
 *   row without `carried`, keywords, `carried` ─ crash → the callback is delivered again, and the keywords are carried again
 *
 * A STOP by the id looks for the row after it is written. So either this look-up finds the number, or the STOP is written
 * before the row, and is carried to the number.
 */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { keptDays, type Mode, modeOf } from '../../contract/mode.ts';
import { recipientsOfPerson } from '../../contract/phone-number.ts';
import { queryRows, type Row, readableRows } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { carryStops } from '../suppression/suppressions.dynamo.ts';

const userRow = z.object({
  /** Our sender. */
  recipient: z.string(),
  number: z.string(),
  noted_at: z.iso.datetime(),
  /** True once the user's earlier keywords count for the number. */
  carried: z.boolean(),
});

/** The row is written again after this number of days, and kept for as much longer than the messages. */
const renewedDays = { live: 30, test: 1 } as const;

export function userKey(user: string, sender: string, mode: Mode) {
  return { client_id: `#user ${mode === 'test' ? 'test ' : ''}${user}`, recipient: sender };
}

/** Returns the number in a row of this table; undefined if there is no row, or if it is malformed. */
export function numberIn(row: Row | undefined): string | undefined {
  return userIn(row)?.number;
}

/** The key contains the id, so the log names our sender. */
function userIn(row: Row | undefined) {
  return row && readableRows(userRow, [row], 'recipient')[0];
}

/** Returns the number of a user that Meta told to one of these senders of ours. */
export async function numberOfUser(
  { db, env }: Context<'WHATSAPP_WINDOWS_TABLE'>,
  user: string,
  senders: readonly string[],
  mode: Mode,
): Promise<string | undefined> {
  const rows = queryRows(db, {
    TableName: env.WHATSAPP_WINDOWS_TABLE,
    KeyConditionExpression: 'client_id = :user',
    ExpressionAttributeValues: { ':user': userKey(user, '', mode).client_id },
    ConsistentRead: true,
  });
  for await (const row of rows) {
    const known = userIn(row);
    if (known !== undefined && senders.includes(known.recipient)) return known.number;
  }
  return undefined;
}

/** Notes the number of a user, and carries the user's earlier STOPs to the number. Repeating it is safe. */
export async function noteUser(
  ctx: Context<'WHATSAPP_WINDOWS_TABLE' | 'SUPPRESSIONS_TABLE' | 'RETENTION_DAYS'>,
  {
    user,
    number,
    sender,
    clientId,
    at,
  }: {
    readonly user: string;
    readonly number: string;
    readonly sender: string;
    /** The client of the message that Meta reports about. */
    readonly clientId: string;
    readonly at: Date;
  },
): Promise<void> {
  const { db, env } = ctx;
  const mode = modeOf(clientId);
  const TableName = env.WHATSAPP_WINDOWS_TABLE;
  const Key = userKey(user, sender, mode);
  const { Item } = await db.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const known = userIn(Item);
  const isFresh = known !== undefined && addDays(new Date(known.noted_at), renewedDays[mode]) > at;
  if (isFresh && known.carried && known.number === number) return;
  const days = keptDays(clientId, env.RETENTION_DAYS) + (mode === 'live' ? renewedDays.live : 0);
  const row = { ...Key, number, noted_at: at.toISOString(), purge_at: epochSeconds(addDays(at, days)) };
  await db.send(new PutCommand({ TableName, Item: { ...row, carried: false } }));
  await carryStops(ctx, { user, recipients: recipientsOfPerson(number), sender, clientId });
  await db.send(new PutCommand({ TableName, Item: { ...row, carried: true } }));
}
