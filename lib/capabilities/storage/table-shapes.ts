/** The tables: keys, indexes and options. */
import type { EnvironmentName } from '../../../shared/platform/env.ts';

interface IndexShape {
  readonly partition: string;
  readonly sort?: string;
  readonly projection: 'keys' | 'all';
}

export interface TableShape {
  readonly variable: EnvironmentName;
  readonly partition: string;
  readonly sort?: string;
  readonly indexes?: Readonly<Record<string, IndexShape>>;
  /**
   * Whether rows have a `purge_at`, after which DynamoDB deletes them (TTL). It follows from the setting
   * `retentionDays`, whose variable comes with each grant, or is a time of their own.
   */
  readonly purged?: 'retentionDays' | true;
  /** Whether the table has point-in-time recovery, because its rows cannot be rebuilt from anything else. */
  readonly restorable?: boolean;
  readonly streamed?: boolean;
  /** Whether rows are written or read for every message. */
  readonly busy?: boolean;
}

/** All keys are strings. */
export const tableShapes = {
  clients: { variable: 'CLIENTS_TABLE', partition: 'client_id', restorable: true },
  'client-secrets': { variable: 'CLIENT_SECRETS_TABLE', partition: 'client_id', restorable: true },
  'api-keys': {
    variable: 'API_KEYS_TABLE',
    partition: 'key_hash',
    indexes: { 'by-client': { partition: 'client_id', sort: 'created_at', projection: 'all' } },
    restorable: true,
  },
  'limit-overrides': {
    variable: 'LIMIT_OVERRIDES_TABLE',
    partition: 'client_id',
    sort: 'endpoint',
    restorable: true,
    streamed: true,
  },
  // The sort key is the channel and the country: `sms GB`, `sms *`.
  senders: {
    variable: 'SENDERS_TABLE',
    partition: 'client_id',
    sort: 'destination',
    restorable: true,
    streamed: true,
  },
  'rate-counters': { variable: 'RATE_COUNTERS_TABLE', partition: 'counter', purged: true, busy: true },
  messages: {
    variable: 'MESSAGES_TABLE',
    partition: 'message_id',
    indexes: {
      'by-client': { partition: 'list_key', sort: 'list_at', projection: 'keys' },
      'by-reference': { partition: 'reference_key', sort: 'list_at', projection: 'keys' },
      'by-carrier-id': { partition: 'carrier_key', projection: 'keys' },
      // Support needs to find messages by recipient, which costs one more write unit for each message.
      'by-recipient': { partition: 'recipient', sort: 'list_at', projection: 'keys' },
    },
    purged: 'retentionDays',
    restorable: true,
    streamed: true,
    busy: true,
  },
  batches: { variable: 'BATCHES_TABLE', partition: 'batch_id', purged: 'retentionDays' },
  'one-time-passwords': {
    variable: 'ONE_TIME_PASSWORDS_TABLE',
    partition: 'otp_id',
    purged: true,
    streamed: true,
  },
  // One-time passwords sent and verified, for each client and country, by minute and day.
  'otp-traffic': {
    variable: 'OTP_TRAFFIC_TABLE',
    partition: 'client_country',
    sort: 'span',
    purged: true,
  },
  // The countries to which the one-time passwords of a client are held.
  'otp-holds': { variable: 'OTP_HOLDS_TABLE', partition: 'client_id', sort: 'country', restorable: true },
  'webhook-endpoints': {
    variable: 'WEBHOOK_ENDPOINTS_TABLE',
    partition: 'client_id',
    sort: 'endpoint_id',
    restorable: true,
  },
  'webhook-deliveries': {
    variable: 'WEBHOOK_DELIVERIES_TABLE',
    partition: 'delivery_id',
    purged: 'retentionDays',
    restorable: true,
    busy: true,
  },
  // Rows to process at a due time; an entry is deleted once its rows are final.
  'due-items': {
    variable: 'DUE_ITEMS_TABLE',
    partition: 'list',
    sort: 'position',
    restorable: true,
    busy: true,
  },
  'activity-log': {
    variable: 'ACTIVITY_LOG_TABLE',
    partition: 'day',
    sort: 'entry_id',
    indexes: {
      'by-kind': { partition: 'kind', sort: 'entry_id', projection: 'all' },
      'by-client': { partition: 'client_id', sort: 'entry_id', projection: 'all' },
    },
    purged: 'retentionDays',
    restorable: true,
  },
  // Hourly counts of webhook attempts, for the dashboard.
  usage: { variable: 'USAGE_TABLE', partition: 'hour', purged: true },
  // A row for each UTC hour, day and month, and each client with messages in it.
  'message-usage': {
    variable: 'MESSAGE_USAGE_TABLE',
    partition: 'period',
    sort: 'client_id',
    purged: true,
    restorable: true,
  },
  // The records of streams that are counted in `message-usage` and `otp-traffic`.
  'counted-changes': {
    variable: 'COUNTED_CHANGES_TABLE',
    partition: 'minute',
    sort: 'part',
    purged: true,
  },
  // The reserved slots of each sender with a pace.
  'sender-pace': { variable: 'SENDER_PACE_TABLE', partition: 'sender', purged: true },
  // The recipients to whom a client's messages are not sent; rows that ended have a `purge_at`.
  suppressions: {
    variable: 'SUPPRESSIONS_TABLE',
    partition: 'client_id',
    sort: 'recipient',
    purged: true,
    restorable: true,
    busy: true,
  },
  // The time at which a person last wrote by WhatsApp.
  'whatsapp-windows': {
    variable: 'WHATSAPP_WINDOWS_TABLE',
    partition: 'client_id',
    sort: 'recipient',
    purged: true,
  },
  'signing-keys': { variable: 'SIGNING_KEYS_TABLE', partition: 'kid' },
  'simulator-outbox': {
    variable: 'SIMULATOR_OUTBOX_TABLE',
    partition: 'recipient',
    sort: 'handed_over',
    indexes: { 'by-day': { partition: 'day', sort: 'handed_over', projection: 'all' } },
    purged: 'retentionDays',
  },
} as const satisfies Record<string, TableShape>;

export type TableName = keyof typeof tableShapes;
