/** The tables with their keys, indexes and options. `lib` deploys the tables from this data. */

export interface TableShape {
  readonly partition: string;
  readonly sort?: string;
  readonly indexes?: Readonly<
    Record<
      string,
      {
        readonly partition: string;
        readonly sort?: string;
        /** The fields in the index besides the keys. */
        readonly projection: 'keys' | 'all' | readonly string[];
      }
    >
  >;
  /**
   * Set if DynamoDB deletes rows after their `purge_at` (TTL). `retentionDays` means that this setting determines the time,
   * so each grant includes its variable. Otherwise, each row sets its own time.
   */
  readonly purged?: 'retentionDays' | true;
  /** The reason why the table has no point-in-time recovery, which all other tables have. */
  readonly notRestorable?: string;
  readonly streamed?: boolean;
  /** True if rows are written or read for every message. */
  readonly busy?: boolean;
}

/** All keys are strings. */
export const tableShapes = {
  clients: { partition: 'client_id' },
  'client-secrets': { partition: 'client_id' },
  'api-keys': {
    partition: 'key_hash',
    indexes: { 'by-client': { partition: 'client_id', sort: 'created_at', projection: 'all' } },
  },
  'limit-overrides': {
    partition: 'client_id',
    sort: 'endpoint',
    streamed: true,
  },
  // The sort key is the channel and the country, such as `sms GB`, `sms *`.
  senders: {
    partition: 'client_id',
    sort: 'destination',
    streamed: true,
  },
  // The requests and caps of clients, counted by window.
  'rate-counters': {
    partition: 'counter',
    purged: true,
    busy: true,
    notRestorable: 'A counter is worthless once its minute, hour, day or month has ended.',
  },
  messages: {
    partition: 'message_id',
    indexes: {
      'by-client': { partition: 'list_key', sort: 'list_at', projection: 'keys' },
      'by-reference': { partition: 'reference_key', sort: 'list_at', projection: 'keys' },
      'by-carrier-id': { partition: 'carrier_key', projection: 'keys' },
      // Support must find messages by recipient. This index costs one more write unit for each message.
      'by-recipient': { partition: 'recipient', sort: 'list_at', projection: 'keys' },
      // A sparse index of the messages that a worker must look at (shared/due/due-index.ts).
      due: {
        partition: 'due_shard',
        sort: 'due_at',
        projection: ['client_id', 'batch_id', 'otp', 'expires_at', 'due_looks'],
      },
    },
    purged: 'retentionDays',
    streamed: true,
    busy: true,
  },
  batches: { partition: 'batch_id', purged: 'retentionDays' },
  'one-time-passwords': {
    partition: 'otp_id',
    purged: true,
    streamed: true,
    notRestorable: 'A password is valid for an hour at most; a lost one is requested again.',
  },
  // One-time passwords sent and verified in each country, for each client by minute and day.
  'otp-traffic': {
    partition: 'client_id',
    sort: 'span',
    purged: true,
    notRestorable: 'Counts are read for at most 30 days, and lost ones are simply missing.',
  },
  // The countries to which the one-time passwords of a client are held or allowed.
  'otp-holds': { partition: 'client_id', sort: 'country' },
  'webhook-endpoints': {
    partition: 'client_id',
    sort: 'endpoint_id',
  },
  'webhook-deliveries': {
    partition: 'delivery_id',
    indexes: {
      'by-client': { partition: 'list_key', sort: 'list_at', projection: 'keys' },
      // A sparse index of the deliveries that failed and have not been acknowledged since.
      'failed-by-client': { partition: 'failed_key', sort: 'list_at', projection: 'keys' },
      // A sparse index of the deliveries and resends that a worker must look at.
      due: { partition: 'due_shard', sort: 'due_at', projection: ['client_id', 'due_looks'] },
    },
    purged: 'retentionDays',
    busy: true,
  },
  'activity-log': {
    partition: 'day',
    sort: 'entry_id',
    indexes: {
      'by-kind': { partition: 'kind', sort: 'entry_id', projection: 'all' },
      'by-client': { partition: 'client_id', sort: 'entry_id', projection: 'all' },
    },
    purged: 'retentionDays',
  },
  // One row for each UTC hour, day and month and each client with messages in it.
  'message-usage': {
    partition: 'period',
    sort: 'client_id',
    purged: true,
  },
  // Changes that are not yet added to `message-usage` and `otp-traffic`, and the position of each shard.
  'count-journal': {
    partition: 'journal',
    sort: 'entry',
    purged: true,
    notRestorable: 'Rows refer to streams, which keep a record for only 24 hours.',
  },
  // For each sender with a pace, the time of its next message.
  'sender-pace': {
    partition: 'sender',
    purged: true,
    notRestorable: 'A place is worthless once its time has passed.',
  },
  // The recipients to whom a client's messages are not sent. Rows of ended suppressions have a `purge_at`.
  suppressions: {
    partition: 'client_id',
    sort: 'recipient',
    purged: true,
    busy: true,
  },
  // When a recipient last wrote by WhatsApp, and the contacts, which assign replies to clients.
  'whatsapp-windows': {
    partition: 'client_id',
    sort: 'recipient',
    purged: true,
  },
  'signing-keys': {
    partition: 'kid',
    notRestorable: 'The function that issues tokens publishes the public keys again.',
  },
  // The messages of the simulated carrier. Those of test keys are kept for a day.
  'simulator-outbox': {
    partition: 'recipient',
    sort: 'handed_over',
    indexes: { 'by-day': { partition: 'day', sort: 'handed_over', projection: 'all' } },
    purged: 'retentionDays',
    notRestorable: 'It contains only messages of the simulated carrier, which no recipient received.',
  },
} as const satisfies Record<string, TableShape>;

export type TableName = keyof typeof tableShapes;

export type IndexName<Table extends TableName> = (typeof tableShapes)[Table] extends {
  readonly indexes: infer Indexes;
}
  ? keyof Indexes & string
  : never;
