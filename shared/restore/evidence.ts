/**
 * What is known about the time after the one that is restored: the events that webhooks reported, the settings that the
 * Activity Log saw change, the batches, how many messages usage counted, and what the stream of messages tells.
 */
import * as z from 'zod/mini';
import { maintenanceEndpoint } from '../contract/limit-rows.ts';
import { rowIn } from '../platform/aws/stream-record.dynamo.ts';
import { addDays } from '../platform/clock.ts';
import { evidenceInBody, type KnownMessage, mergedEvidence } from './judge-message.ts';
import { allItems, type SideTables } from './side-tables.dynamo.ts';
import type { StreamEvidence } from './stream-evidence.ts';
import type { StackTable, TableRows } from './table-rows.dynamo.ts';
import { messagesAttribute, type RestorableTable } from './table-rules.ts';

export interface Evidence {
  /** What became of messages after the time, by their ids. */
  readonly messages: ReadonlyMap<string, KnownMessage>;
  /** Since when the stream of messages has every change; null where none is left, undefined where it is not needed. */
  readonly streamSince: string | null | undefined;
  /** Changes of settings after the time, oldest first. */
  readonly settings: readonly SettingChange[];
  /** Batches accepted after the time. */
  readonly batches: readonly {
    readonly batch_id: string;
    readonly client_id: string;
    readonly total: number;
  }[];
  /** How many messages of each client usage counted in the hour of the time and since. */
  readonly counted: ReadonlyMap<string, number>;
}

export interface SettingChange {
  readonly at: string;
  readonly kind: string;
  readonly summary: string;
  readonly client_id?: string | undefined;
  readonly message_id?: string | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

const deliveryRow = z.object({
  message_id: z.string(),
  client_id: z.string(),
  body: z.string(),
  created_at: z.string(),
});
const batchRow = z.object({
  batch_id: z.string(),
  client_id: z.string(),
  created_at: z.string(),
  total: z.number(),
});
const activityRow = z.object({
  at: z.string(),
  kind: z.string(),
  summary: z.string(),
  client_id: z.optional(z.string()),
  message_id: z.optional(z.string()),
  after: z.optional(z.record(z.string(), z.unknown())),
});

/** The name of an hour in usage, as `usage/period.ts` has it. */
export function hourOf(at: string): string {
  return at.slice(0, 'yyyy-mm-ddThh'.length);
}

export async function collectEvidence(
  {
    tables,
    sideTables,
    rows,
  }: {
    readonly tables: Readonly<Record<RestorableTable, StackTable>>;
    readonly sideTables: Pick<SideTables, 'page'>;
    readonly rows: Pick<TableRows, 'partition'>;
  },
  to: Date,
  now: Date,
  stream: StreamEvidence | undefined,
): Promise<Evidence> {
  const since = to.toISOString();
  const messages = new Map<string, KnownMessage>(Object.entries(stream?.messages ?? {}));
  for await (const item of allItems(sideTables, tables['webhook-deliveries'].name)) {
    const row = deliveryRow.safeParse(rowIn(item)).data;
    // An event is reported when it happens, so an older webhook is of an older event.
    if (row === undefined || row.created_at < since) continue;
    const found = evidenceInBody(row.body);
    if (found === undefined) continue;
    const known = messages.get(row.message_id);
    messages.set(row.message_id, { ...known, ...mergedEvidence(found, known), client_id: row.client_id });
  }
  const settings: SettingChange[] = [];
  for (
    let day = to;
    day.toISOString().slice(0, 10) <= now.toISOString().slice(0, 10);
    day = addDays(day, 1)
  ) {
    for (const item of await rows.partition(tables['activity-log'], day.toISOString().slice(0, 10))) {
      const entry = activityRow.safeParse(rowIn(item)).data;
      if (entry === undefined || entry.at < since || entry.kind === 'signed_in') continue;
      // The restore itself turns maintenance on.
      if (entry.after?.endpoint !== maintenanceEndpoint) settings.push(entry);
    }
  }
  // A message that was sent nevertheless, as is proven, was not canceled.
  for (const { kind, message_id, client_id = '', at } of settings) {
    if (kind !== 'message_canceled' || message_id === undefined) continue;
    const known = messages.get(message_id);
    if (Object.keys(known?.states ?? {}).length === 0)
      messages.set(message_id, { client_id, ...known, states: { canceled: at } });
  }
  const batches = [];
  for await (const item of allItems(sideTables, tables.batches.name)) {
    const row = batchRow.safeParse(rowIn(item)).data;
    if (row !== undefined && row.created_at >= since) batches.push(row);
  }
  return {
    messages,
    streamSince: stream?.since,
    settings: settings.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
    batches,
    counted: await countedSince(sideTables, tables['message-usage'].name, since),
  };
}

async function countedSince(
  sideTables: Pick<SideTables, 'page'>,
  usageTable: string,
  since: string,
): Promise<ReadonlyMap<string, number>> {
  const counted = new Map<string, number>();
  const hour = hourOf(since);
  for await (const item of allItems(sideTables, usageTable)) {
    const { period, client_id, ...amounts } = rowIn(item) ?? {};
    if (typeof period !== 'string' || period.length !== hour.length || period < hour) continue;
    const messages = Object.entries(amounts)
      .filter(([name]) => messagesAttribute.test(name))
      .reduce((sum, [, amount]) => sum + Number(amount), 0);
    const client = String(client_id);
    counted.set(client, (counted.get(client) ?? 0) + messages);
  }
  return counted;
}
