/**
 * Ends the holds of a restore: releases or ends messages, and enables clients, API keys and webhook secrets. Each row is
 * one conditional write, which changes only a held row, so a killed command can be repeated.
 */
import { GatewayError } from '../contract/errors.ts';
import { messageError } from '../contract/message-error-codes.ts';
import { dueFields } from '../due/due-index.ts';
import { type HeldGroup, type Message, messageSchema, transitions } from '../message/message.ts';
import { transitionMessage } from '../message/store/message-changes.dynamo.ts';
import { expiry, type Transition } from '../message/store/message-row.ts';
import { updateIf } from '../platform/aws/conditional-write.dynamo.ts';
import { chunksOf, type Row } from '../platform/aws/read-rows.dynamo.ts';
import { rowIn } from '../platform/aws/stream-record.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { type dynamoSideTables, eachPage, type Item } from './side-tables.dynamo.ts';
import { keyOf, type RestorableTable, type StackTable } from './table-rows.dynamo.ts';

export interface HeldContext extends Context<'MESSAGES_TABLE'> {
  readonly tables: Readonly<Record<RestorableTable, StackTable>>;
  readonly sideTables: ReturnType<typeof dynamoSideTables>;
}

const writesAtOnce = 10;

/** Releases messages, and returns how many. Each one is due immediately, and a worker then does what its state requires. */
export function releaseMessages(ctx: HeldContext, groups: readonly HeldGroup[]): Promise<number> {
  return eachHeld(ctx, groups, async ({ message_id, held }) => {
    // The recipient may already have the message.
    const doubled = held === 'due' ? { possible_duplicate: true } : {};
    const released = { ...dueFields(message_id, ctx.clock()), ...doubled, held: undefined };
    const row = { TableName: ctx.tables.messages.name, Key: { message_id } };
    return (await updateIf(ctx.db, row, { held }, released)).applied;
  });
}

/** Ends messages, and returns how many. Their clients get the usual events. */
export function endMessages(ctx: HeldContext, groups: readonly HeldGroup[]): Promise<number> {
  return eachHeld(ctx, groups, async ({ message_id, status }) => {
    const ended = await transitionMessage(ctx, message_id, endOf(status, ctx.clock()));
    return ended !== undefined;
  });
}

function endOf(status: Message['status'], at: Date): Transition {
  if (status === 'scheduled') return { to: 'canceled', at };
  return status === 'sent' ? expiry(at) : { to: 'failed', at, ...messageError('hand_over_unknown') };
}

async function eachHeld(
  { sideTables, tables }: HeldContext,
  groups: readonly HeldGroup[],
  act: (message: Message) => Promise<boolean>,
): Promise<number> {
  let done = 0;
  await eachPage(sideTables, tables.messages.name, async (items) => {
    const held = items.flatMap((item) => {
      const message = messageSchema().safeParse(rowIn(item)).data;
      const isAskedFor = message?.held !== undefined && groups.includes(message.held);
      return isAskedFor && !transitions[message.status].final ? [message] : [];
    });
    for (const chunk of chunksOf(held, writesAtOnce)) {
      const applied = await Promise.all(chunk.map(act));
      done += applied.filter(Boolean).length;
    }
  });
  return done;
}

const disabledTables = ['clients', 'client-secrets', 'api-keys'] as const;

/**
 * Enables the rows with these ids, or all rows except these. Returns the enabled rows, such as `api-keys key_1`.
 *
 * @throws GatewayError if an id in `allBut` is unknown, because a typing error would enable a revoked key
 */
export async function enableRows(
  ctx: HeldContext,
  which: { readonly ids: readonly string[] } | { readonly allBut: readonly string[] },
): Promise<string[]> {
  const disabled = await disabledRows(ctx);
  const isNamed = (named: string) => disabled.some(({ id }) => id === named);
  if ('allBut' in which && !which.allBut.every(isNamed)) {
    const unknown = which.allBut.filter((id) => !isNamed(id));
    throw new GatewayError(
      'invalid_request',
      `The restore disabled nothing with the id ${unknown.join(', ')}, so nothing was enabled. Correct the id, or leave it out.`,
    );
  }
  const enabled: string[] = [];
  for (const { table, id, row } of disabled) {
    if ('ids' in which ? !which.ids.includes(id) : which.allBut.includes(id)) continue;
    const { name: TableName, keys } = ctx.tables[table];
    const Key = Object.fromEntries(keys.map((key) => [key, row[key]]));
    const change: Row = { ...enabledValues(table, row), held: undefined };
    const seen = Object.fromEntries(Object.keys(change).map((name) => [name, row[name]]));
    const { applied } = await updateIf(ctx.db, { TableName, Key }, seen, change);
    if (applied) enabled.push(`${table} ${id}`);
  }
  return enabled;
}

/** Returns the rows that a restore disabled and that are not enabled yet. */
async function disabledRows({ tables, sideTables }: HeldContext) {
  const found: { table: (typeof disabledTables)[number]; id: string; row: Row }[] = [];
  for (const table of disabledTables) {
    await eachPage(sideTables, tables[table].name, async (items) => {
      for (const item of items) {
        const row = rowIn(item) ?? {};
        if (row.held !== undefined) found.push({ table, id: disabledId(tables[table], item), row });
      }
    });
  }
  return found;
}

/** Returns the id of an API key; for other rows, the client's id. */
export function disabledId(table: StackTable, item: Item): string {
  return item.key_id?.S ?? keyOf(table, item);
}

function enabledValues(table: (typeof disabledTables)[number], row: Row): Row {
  switch (table) {
    case 'clients':
      return { disabled: false };
    case 'api-keys':
      return { revoked_at: undefined };
    case 'client-secrets': {
      const { webhook_secrets, endpoint_secrets } = row.held as Record<string, object | undefined>;
      // A secret that was created after the restore stays as it is.
      return {
        webhook_secrets: row.webhook_secrets ?? webhook_secrets,
        endpoint_secrets: { ...endpoint_secrets, ...(row.endpoint_secrets as object | undefined) },
      };
    }
  }
}
