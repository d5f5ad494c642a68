/**
 * What the stream of messages tells about the time after the one that is restored: which messages were accepted since, and
 * which states each message entered. A stream keeps its records for 24 hours, so what it told once is kept for the restore.
 */
import * as z from 'zod/mini';
import { statuses } from '../message/message.ts';
import { isRestoreWrite, rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { addDays, addSeconds, type Clock, laterOf } from '../platform/clock.ts';
import { evidenceInRow, type KnownMessage, latestOf, mergedEvidence } from './judge-message.ts';
import type { StreamRecords } from './stream-records.dynamo.ts';

export interface StreamEvidence {
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
  { streamRecords, clock }: { readonly streamRecords: StreamRecords; readonly clock: Clock },
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

/**
 * Reads the stream once for each restore: what it forgets meanwhile, and what the restore itself changes, is the same then.
 * Undefined where messages are not restored.
 */
export async function keptStreamEvidence(
  dependencies: {
    readonly tables: Readonly<Record<'messages', { readonly name: string }>>;
    readonly streamRecords: StreamRecords;
    readonly progress: {
      readStream(): Promise<KeptStreamEvidence | undefined>;
      writeStream(evidence: KeptStreamEvidence): Promise<void>;
    };
    readonly clock: Clock;
    readonly report: (line: string) => void;
  },
  {
    restoreId,
    to,
    tables,
  }: { readonly restoreId: string; readonly to: string; readonly tables: readonly string[] },
): Promise<StreamEvidence | undefined> {
  if (!tables.includes('messages')) return undefined;
  const { progress: store, tables: stackTables, report: say } = dependencies;
  const kept = await store.readStream();
  if (kept?.restoreId === restoreId) return kept;
  say('Reads the stream of messages.');
  const evidence = await readStreamEvidence(dependencies, stackTables.messages.name, new Date(to));
  await store.writeStream({ restoreId, ...evidence });
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
