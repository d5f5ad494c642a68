import {
  collectEvidence,
  type Evidence,
  type EvidenceSources,
  readStreamEvidence,
  unknownOfStream,
} from './evidence.ts';
import type { KnownMessage, MessageGroup } from './judge-message.ts';
import type { RestorableTable } from './table-rows.dynamo.ts';

/** Reads the tables that exist and the stream of messages; writes nothing. */
export async function planRestore(
  dependencies: EvidenceSources,
  to: Date,
  tables: readonly RestorableTable[],
) {
  const { sideTables, clock } = dependencies;
  const found = await Promise.all(
    tables.map(async (table) => {
      const { name } = dependencies.tables[table];
      const [window, exists] = await Promise.all([sideTables.windowOf(name), sideTables.exists(name, to)]);
      return { table, window, exists };
    }),
  );
  const stream = tables.includes('messages')
    ? await readStreamEvidence(dependencies, dependencies.tables.messages.name, to)
    : undefined;
  const evidence = await collectEvidence(dependencies, to, clock(), stream);
  // Evidence begins a little before the time, because clocks differ.
  const isOfLater = ({ accepted_at = '', states }: KnownMessage): boolean =>
    [accepted_at, ...Object.values(states)].some((at) => at >= to.toISOString());
  return {
    tables: found.map(({ table, window }) => ({
      table,
      earliest: window?.earliest.toISOString() ?? null,
      latest: window?.latest.toISOString() ?? null,
      bytes: window?.bytes ?? 0,
    })),
    problems: found
      .filter(({ window, exists }) => !exists && !(window && window.earliest <= to && to <= window.latest))
      .map(({ table }) => `${table} cannot be restored to ${to.toISOString()}.`),
    settings: evidence.settings,
    /** How many messages are known to have changed after the time, or to have been accepted. */
    changed: [...evidence.messages.values()].filter(isOfLater).length,
    streamSince: evidence.streamSince,
  };
}

/** What the operator decided; a group without rows needs no decision. */
export interface Decisions {
  /** Messages of which nothing proves whether they were handed over. */
  readonly unknownMessages?: 'send' | 'fail' | undefined;
  /** Webhooks of which nothing proves whether they were acknowledged. */
  readonly unknownWebhooks?: 'send' | 'fail' | undefined;
  /** Rows that the Activity Log says were deleted after the time. */
  readonly deletedRows?: 'restore' | 'leave' | undefined;
  /** Whether rows of settings that exist and differ are put back. */
  readonly replace?: boolean | undefined;
}

export type RowOutcome =
  | { readonly kind: 'kept'; readonly differs: boolean }
  | { readonly kind: 'purged' | 'restored' | 'replaced' }
  | { readonly kind: 'deleted'; readonly key: string }
  | { readonly kind: 'webhook'; readonly key: string }
  | { readonly kind: 'message'; readonly key: string; readonly group: MessageGroup; readonly legs: boolean };

interface TableCounts {
  /** How many rows the table had at the time; some have expired since. */
  rows: number;
  /** How many are missing now, or spoilt: they are restored. */
  restored: number;
  /** How many exist, and stay as they are; `differs` of them are not as they were at the time. */
  kept: number;
  differs: number;
}

export interface RestoreReport {
  readonly restore_id: string;
  readonly to: string;
  readonly tables: Readonly<Partial<Record<RestorableTable, TableCounts>>>;
  readonly messages: Readonly<Record<MessageGroup, number>>;
  /** Whose fallback ends, because its next leg may have been started. */
  readonly ended_sequences: readonly string[];
  readonly unknown_messages: readonly string[];
  readonly changed_messages: readonly string[];
  readonly unknown_webhooks: readonly string[];
  readonly deleted_rows: readonly string[];
  /** Messages accepted after the time whose rows are lost, as far as the stream and their webhooks name them. */
  readonly lost_messages: readonly (KnownMessage & { readonly message_id: string })[];
  /** How many messages accepted after the time are lost, by client, as usage counted them. */
  readonly lost_by_client: Readonly<Record<string, number>>;
  readonly stream_since: Evidence['streamSince'];
  readonly settings_changed: Evidence['settings'];
  readonly batches: Evidence['batches'];
}

export function reportBuilder(
  head: { readonly restore_id: string; readonly to: string },
  { settings, batches, streamSince }: Evidence,
) {
  const tables: Partial<Record<RestorableTable, TableCounts>> = {};
  const messages: Record<MessageGroup, number> = { final: 0, changed: 0, sent: 0, scheduled: 0, unknown: 0 };
  const lists = {
    ended_sequences: [] as string[],
    unknown_messages: [] as string[],
    changed_messages: [] as string[],
    unknown_webhooks: [] as string[],
    deleted_rows: [] as string[],
  };
  return {
    add(table: RestorableTable, outcomes: readonly RowOutcome[]): void {
      tables[table] ??= { rows: 0, restored: 0, kept: 0, differs: 0 };
      const counts = tables[table];
      for (const outcome of outcomes) {
        counts.rows += 1;
        if (outcome.kind === 'kept') {
          counts.kept += 1;
          if (outcome.differs) counts.differs += 1;
        } else if (outcome.kind !== 'purged') counts.restored += 1;
        if (outcome.kind === 'deleted') lists.deleted_rows.push(`${table} ${outcome.key}`);
        if (outcome.kind === 'webhook') lists.unknown_webhooks.push(outcome.key);
        if (outcome.kind !== 'message') continue;
        messages[outcome.group] += 1;
        if (outcome.legs) lists.ended_sequences.push(outcome.key);
        if (outcome.group === 'unknown') lists.unknown_messages.push(outcome.key);
        if (outcome.group === 'changed') lists.changed_messages.push(outcome.key);
      }
    },
    build: (more: Pick<RestoreReport, 'lost_messages' | 'lost_by_client'>): RestoreReport => ({
      ...head,
      tables,
      messages,
      ...lists,
      ...more,
      stream_since: streamSince,
      settings_changed: settings,
      batches,
    }),
  };
}

/** What must be decided before anything is switched on, with the option that decides it. */
export function openDecisions(report: RestoreReport, decisions: Decisions): string[] {
  const open: string[] = [];
  const [messages, webhooks, rows] = [
    report.unknown_messages.length,
    report.unknown_webhooks.length,
    report.deleted_rows.length,
  ];
  if (messages > 0 && decisions.unknownMessages === undefined)
    open.push(
      `${messages} messages were due, and nothing proves whether they were handed over: --unknown-messages fail, or send (some people may get one twice).`,
    );
  if (webhooks > 0 && decisions.unknownWebhooks === undefined)
    open.push(
      `${webhooks} webhooks were not finished, and nothing proves whether they were acknowledged: --unknown-webhooks fail, or send (some may be posted twice, with the same webhook-id).`,
    );
  if (rows > 0 && decisions.deletedRows === undefined)
    open.push(
      `${rows} rows are of clients of which such a row was deleted after the time: --deleted-rows leave, or restore.`,
    );
  return open;
}

const rotations: ReadonlySet<string> = new Set([
  'client_secret_rotated',
  'client_secret_ended',
  'webhook_secret_rotated',
]);

/** What neither a surviving table nor the stream tells, as sentences. */
export function unknownIn(report: RestoreReport, restored: ReadonlySet<RestorableTable>): string[] {
  const rotated = report.settings_changed.filter(({ kind }) => rotations.has(kind)).length;
  return [
    ...(restored.has('messages') ? unknownOfMessages(report) : []),
    ...(restored.has('webhook-deliveries')
      ? [
          'Webhooks of events after the time have no log; an event that was not finished may be posted again, with the same webhook-id.',
        ]
      : []),
    ...(restored.has('activity-log') ? ['Entries of the Activity Log after the time are lost.'] : []),
    ...(restored.has('message-usage') || restored.has('usage')
      ? [
          'Usage that was counted after the time is lost where its row is, and the minute before the time may be missing.',
        ]
      : []),
    ...(rotated > 0 && (restored.has('clients') || restored.has('client-secrets'))
      ? [
          `${rotated} secrets were rotated or ended after the time: where the row of such a client is restored, its secrets of before are valid again. Rotate them again with --overlap-hours 0.`,
        ]
      : []),
    ...(
      ['clients', 'client-secrets', 'api-keys', 'suppressions', 'whatsapp-windows', 'otp-holds'] as const
    ).flatMap((table) =>
      restored.has(table)
        ? [
            `Rows of ${table} that were created after the time and are lost are only known by the Activity Log.`,
          ]
        : [],
    ),
  ];
}

function unknownOfMessages(report: RestoreReport): string[] {
  const lost = Object.values(report.lost_by_client).reduce((sum, count) => sum + count, 0);
  const named = report.lost_messages.length;
  const { sent, unknown, scheduled } = report.messages;
  const ended = report.ended_sequences.length;
  const ofStream = unknownOfStream(report.stream_since ?? null, report.to);
  const forgets = ofStream.length > 0;
  const sentences: readonly (readonly [boolean, string])[] = [
    [
      lost + named > 0,
      `Messages accepted after the time: usage counted ${lost} that have no row now. The stream and webhooks name ${named}, which the report lists as lost_messages with what is known of each; of the others nothing is known but their number. A request that is repeated with the Idempotency-Key of one of them is sent again.`,
    ],
    [
      forgets && sent > 0,
      `${sent} messages wait for a receipt: one that came after the time is lost unless the stream or a webhook has it, and they expire then.`,
    ],
    [
      sent + unknown > 0,
      `Messages that were in flight stay in usage as it counted them before the loss: these are ${sent} that wait for a receipt, and ${unknown} of which it is unknown whether they were handed over.`,
    ],
    [
      forgets && scheduled > 0,
      `${scheduled} messages are scheduled: whether a client canceled one after the time is only known where the stream has it.`,
    ],
    [
      ended > 0,
      `${ended} sends with fallback end with the present message: whether the next one was started is not known.`,
    ],
  ];
  return [...ofStream, ...sentences.flatMap(([holds, sentence]) => (holds ? [sentence] : []))];
}
