/**
 * What is known about the time after the one that is restored: the events that webhooks reported, the settings that the
 * Activity Log saw change, the batches, how many messages usage counted, and what the stream of messages tells. A stream
 * keeps its records for 24 hours, so what it told once is kept for the restore.
 */
import * as z from 'zod/mini';
import { maintenanceEndpoint } from '../contract/rate-limits-and-caps.ts';
import { statuses } from '../message/message.ts';
import { isRestoreWrite, rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { addDays, addSeconds, type Clock, dayOf, laterOf } from '../platform/clock.ts';
import {
  evidenceInBody,
  evidenceInRow,
  type KnownMessage,
  latestOf,
  mergedEvidence,
} from './judge-message.ts';
import { allItems, type SideTables } from './side-tables.dynamo.ts';
import type { StreamRecords } from './stream-records.dynamo.ts';
import type { StackTable, TableRows } from './table-rows.dynamo.ts';
import { messagesAttribute, type RestorableTable } from './table-rows.dynamo.ts';

export interface EvidenceSources {
  readonly tables: Readonly<Record<RestorableTable, StackTable>>;
  readonly sideTables: SideTables;
  readonly streamRecords: StreamRecords;
  readonly rows: TableRows;
  readonly clock: Clock;
}

export type Evidence = Readonly<Awaited<ReturnType<typeof collectEvidence>>>;

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

export type SettingChange = Readonly<z.output<typeof activityRow>>;

/** The name of an hour in usage, as `usage/period.ts` has it. */
export function hourOf(at: string): string {
  return at.slice(0, 'yyyy-mm-ddThh'.length);
}

export async function collectEvidence(
  { tables, sideTables, rows }: EvidenceSources,
  to: Date,
  now: Date,
  stream: StreamEvidence | undefined,
) {
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
  for (let day = to; dayOf(day) <= dayOf(now); day = addDays(day, 1)) {
    for (const item of await rows.partition(tables['activity-log'], dayOf(day))) {
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
    /** What became of messages after the time, by their ids. */
    messages,
    /** Since when the stream of messages has every change; null where none is left, undefined where it is not needed. */
    streamSince: stream?.since,
    /** Changes of settings after the time, oldest first. */
    settings: settings.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
    /** Batches accepted after the time. */
    batches,
    /** How many messages of each client usage counted in the hour of the time and since. */
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

/** Which messages were accepted after the time, and which states each message entered. */
interface StreamEvidence {
  /** Since when the stream has every change, ISO 8601; null where no stream is left. */
  readonly since: string | null;
  /** By their ids. */
  readonly messages: Readonly<Record<string, KnownMessage>>;
}

const messageRow = z.object({
  message_id: z.string(),
  client_id: z.string(),
  created_at: z.string(),
  direction: z.optional(z.string()),
  status: z.enum(statuses),
  error_code: z.optional(z.string()),
  error_message: z.optional(z.string()),
  attempts: z._default(z.array(z.unknown()), []),
});

/** A record has its time rounded down, by Amazon's own engine to a minute, and the times in a row are by the clock of a worker. */
const marginSeconds = 120;
const streamDays = 1;

export async function readStreamEvidence(
  { streamRecords, clock }: Pick<EvidenceSources, 'streamRecords' | 'clock'>,
  table: string,
  to: Date,
): Promise<StreamEvidence> {
  const messages: Record<string, KnownMessage> = {};
  const from = addSeconds(to, -marginSeconds);
  const began = await streamRecords.read(table, (record) => {
    const told = toldBy(record, from);
    if (told === undefined) return;
    const [id, message] = told;
    const known = messages[id];
    messages[id] = known === undefined ? message : merged(message, known);
  });
  const kept = addDays(clock(), -streamDays);
  return { since: began === undefined ? null : laterOf(began, kept).toISOString(), messages };
}

function toldBy(record: StreamRecord, from: Date): readonly [string, KnownMessage] | undefined {
  const { ApproximateCreationDateTime: seconds = 0, NewImage, OldImage } = record.dynamodb ?? {};
  if (seconds * 1000 < from.getTime() || isRestoreWrite(record)) return undefined;
  // The record of a removal has the row as it was lost.
  const image = rowIn(NewImage ?? OldImage);
  const row = messageRow.safeParse(image).data;
  // Messages from people are in no state that a restore decides about.
  if (row === undefined || row.direction !== undefined) return undefined;
  const { message_id, client_id, created_at: accepted_at, status, error_code, error_message } = row;
  const { states } = evidenceInRow(image);
  // A row to which nothing has happened since is removed because its time is over.
  if ([accepted_at, ...Object.values(states)].every((at) => at < from.toISOString())) return undefined;
  const attempts = row.attempts.length;
  return [message_id, { client_id, accepted_at, status, attempts, states, error_code, error_message }];
}

/** Records come in no order, and states are entered in one. */
function merged(one: KnownMessage, other: KnownMessage): KnownMessage {
  return {
    ...one,
    ...mergedEvidence(one, other),
    status: latestOf([one.status, other.status].filter((status) => status !== undefined)),
    attempts: Math.max(one.attempts ?? 0, other.attempts ?? 0),
  };
}

/** What the stream told, and which restore asked. */
export interface KeptStreamEvidence extends StreamEvidence {
  readonly restoreId: string;
}

export interface StreamEvidenceStore {
  readStream(): Promise<KeptStreamEvidence | undefined>;
  writeStream(evidence: KeptStreamEvidence): Promise<void>;
}

/**
 * Reads the stream once for each restore: what it forgets meanwhile, and what the restore itself changes, is the same then.
 * Undefined where messages are not restored.
 */
export async function keptStreamEvidence(
  dependencies: EvidenceSources & {
    readonly progress: StreamEvidenceStore;
    readonly report: (line: string) => void;
  },
  restore: { readonly restoreId: string; readonly to: string; readonly tables: readonly string[] },
): Promise<StreamEvidence | undefined> {
  if (!restore.tables.includes('messages')) return undefined;
  const { progress: store, tables, report: say } = dependencies;
  const kept = await store.readStream();
  if (kept?.restoreId === restore.restoreId) return kept;
  say('Reads the stream of messages.');
  const evidence = await readStreamEvidence(dependencies, tables.messages.name, new Date(restore.to));
  await store.writeStream({ restoreId: restore.restoreId, ...evidence });
  return evidence;
}

/** What the stream cannot tell, as sentences. */
export function unknownOfStream(since: string | null, to: string): string[] {
  if (since === null)
    return [
      'No stream of messages is left: only webhooks and the Activity Log tell what changed after the time.',
    ];
  if (since <= to) return [];
  return [
    `The stream of messages has nothing from before ${since}: what changed between the time and then is only known from webhooks and the Activity Log.`,
  ];
}
