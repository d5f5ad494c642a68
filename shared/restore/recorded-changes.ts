/** Reads the changes in the Activity Log since the restored time, with the client, API key or secret of each. */
import * as z from 'zod/mini';
import { settingsIdOf } from '../contract/mode.ts';
import { rowIn } from '../platform/aws/stream-record.dynamo.ts';
import { addDays, dayOf } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { Item } from './side-tables.dynamo.ts';
import { rowsOfPartition, type StackTable } from './table-rows.dynamo.ts';

const activityRow = z.object({
  at: z.string(),
  kind: z.string(),
  summary: z.string(),
  client_id: z.optional(z.string()),
  after: z.optional(z.record(z.string(), z.unknown())),
});

export type SettingChange = Readonly<z.output<typeof activityRow>>;

/** Returns the changes from `since` until now, the oldest first. */
export async function recordedChanges(
  context: Context,
  activityLog: StackTable,
  since: Date,
): Promise<readonly SettingChange[]> {
  const now = context.clock();
  const changes: SettingChange[] = [];
  for (let day = since; dayOf(day) <= dayOf(now); day = addDays(day, 1)) {
    for (const item of await rowsOfPartition(context, activityLog, dayOf(day))) {
      const entry = activityRow.safeParse(rowIn(item)).data;
      if (entry !== undefined && entry.at >= since.toISOString()) changes.push(entry);
    }
  }
  return changes.toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

/** The kinds that decide if a copied client or its secrets may be used again. */
const accessKinds: ReadonlySet<string> = new Set([
  'client_disabled',
  'client_enabled',
  'client_secret_rotated',
  'client_secret_ended',
  'webhook_secret_rotated',
  'webhook_endpoint_secret_rotated',
  'webhook_endpoint_deleted',
  'permissions_changed',
]);

/** Returns the changes of the key, or of the client, that owns the row. */
export function changesOf(changes: readonly SettingChange[], { client_id, key_id }: Item) {
  return changes.filter(({ kind, client_id: of = '', after }) =>
    key_id === undefined
      ? accessKinds.has(kind) && settingsIdOf(of) === settingsIdOf(client_id?.S ?? '')
      : after?.key_id === key_id.S,
  );
}
