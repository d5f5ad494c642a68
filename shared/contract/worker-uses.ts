/** The tables, queues and settings of the functions that queues, streams and schedules call. */

import {
  countedCaps,
  loggedDeliveries,
  outboundQueues,
  recordedActivity,
  type Uses,
  webhookQueues,
  webhookRules,
} from './uses.ts';

/**
 * The carriers of a stage, and the simulated carrier for test messages. The simulated carrier sends receipts to the same
 * queue as real carriers.
 */
export const carriers = [
  {
    secrets: ['carriers'],
    // Carriers that call the gateway need its URL.
    settings: ['SMS_CARRIER', 'WHATSAPP_CARRIER', 'PRICES_FILE', 'CARRIER_BASE_URLS', 'TOKEN_ISSUER'],
  },
  {
    tables: { 'simulator-outbox': ['PutItem'] },
    sendsTo: ['receipts'],
  },
  {
    where: 'AWS carries SMS',
    settings: ['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET'],
  },
  {
    where: 'AWS carries WhatsApp',
    settings: ['WHATSAPP_PHONE_NUMBER_ID', 'WHATSAPP_OTP_TEMPLATE'],
  },
] as const satisfies readonly Uses[];

export const workerUses = {
  'count-usage': [
    recordedActivity,
    {
      tables: {
        'message-usage': ['GetItem', 'PutItem'],
        'count-journal': ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
        'otp-traffic': ['GetItem', 'PutItem', 'Query'],
        'otp-holds': ['UpdateItem', 'Query'],
      },
      settings: ['OTP_HOLD'],
    },
  ],

  'deliver-webhook': [
    recordedActivity,
    webhookQueues,
    webhookRules,
    {
      tables: {
        // DeleteItem removes the row of an endpoint that is no longer slow. The queries find deliveries to resend.
        'webhook-deliveries': [...loggedDeliveries, 'DeleteItem'],
        // UpdateItem counts failures and disables an endpoint. The query finds the client's other endpoints, which get an
        // event about the disabled one.
        'webhook-endpoints': ['GetItem', 'Query', 'UpdateItem'],
        'client-secrets': ['GetItem'],
      },
      receivesFrom: ['webhooks', 'webhook-retries'],
      schedulesTo: ['webhook-retries'],
      settings: ['WEBHOOK_TIME_SCALE', 'SCHEDULE_LEAD_SECONDS'],
    },
  ],

  'dispatch-message': [
    ...carriers,
    countedCaps,
    outboundQueues,
    { settings: ['ON_UNKNOWN', 'UNKNOWN_DEADLINE_SECONDS'] },
    {
      tables: {
        messages: ['UpdateItem'],
        clients: ['GetItem'],
        // The scan finds a sender's current pace.
        senders: ['Scan'],
        'sender-pace': ['UpdateItem'],
        suppressions: ['GetItem', 'BatchGetItem', 'PutItem'],
        'whatsapp-windows': ['BatchGetItem', 'GetItem', 'PutItem'],
      },
      receivesFrom: ['otp-outbound', 'outbound', 'bulk-outbound'],
      // The code of a one-time password is derived at the hand-over.
      secrets: ['otp-secret'],
    },
    // A leg of a `fallback` is stored if no earlier leg is delivered, and counts towards the client's caps.
    {
      tables: {
        messages: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
        'limit-overrides': ['Query'],
        'one-time-passwords': ['GetItem', 'UpdateItem'],
        'otp-holds': ['Query'],
      },
    },
  ],

  'queue-due-rows': [
    outboundQueues,
    {
      tables: {
        messages: ['Query due', 'UpdateItem'],
        'webhook-deliveries': ['Query due', 'UpdateItem'],
      },
      sendsTo: ['webhook-retries'],
      counts: ['otp-outbound', 'outbound', 'bulk-outbound', 'webhook-retries'],
    },
  ],

  'record-receipt': [
    recordedActivity,
    {
      tables: {
        messages: [
          'GetItem',
          'BatchGetItem',
          'PutItem',
          'UpdateItem',
          'Query by-carrier-id',
          // The index finds the client to which a recipient's message belongs.
          'Query by-recipient',
        ],
        // The scan finds the client that owns a number.
        senders: ['Scan'],
        clients: ['BatchGetItem'],
        suppressions: ['BatchGetItem', 'PutItem'],
        'whatsapp-windows': ['GetItem', 'PutItem', 'Query'],
      },
      receivesFrom: ['receipts'],
      settings: ['OPT_OUT_WORDS', 'PRICES_FILE'],
    },
  ],

  'relay-changes': [
    outboundQueues,
    webhookQueues,
    {
      tables: {
        // Reads the rows again for records that were set aside.
        messages: ['GetItem', 'BatchGetItem'],
        clients: ['GetItem'],
        'webhook-endpoints': ['Query'],
        // BatchGetItem finds the slow endpoints.
        'webhook-deliveries': ['BatchGetItem', 'PutItem'],
      },
      sendsTo: ['relay-dead-letter'],
      receivesFrom: ['relay-dead-letter'],
    },
  ],

  'review-edited-rows': [
    recordedActivity,
    {
      tables: {
        // Scans `limit-overrides` every minute for expired rows. Reads all rows of both tables every hour, and after a
        // change of `senders`.
        'limit-overrides': ['Query', 'Scan', 'UpdateItem'],
        senders: ['Scan', 'UpdateItem'],
        clients: ['BatchGetItem'],
      },
      settings: ['STAGE_CAPS', 'CURRENCY', 'SMS_CARRIER', 'WHATSAPP_CARRIER'],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Uses[]>>;
