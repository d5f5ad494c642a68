/** The tables, queues and settings that each function uses, by the function's file in `functions/`. */
import type { adminRoutes, carrierRoutes, routes, unmatchedRoute } from './routes.ts';
import {
  authenticatedRequests,
  countedCaps,
  countedRequests,
  loggedDeliveries,
  recordedActivity,
  type Uses,
  webhookQueues,
  webhookRules,
} from './uses.ts';
import { workerUses } from './worker-uses.ts';

/** Every send counts towards its client's caps and selects a sender. */
const sends = {
  tables: {
    messages: ['PutItem'],
    senders: ['Query', 'Scan'],
    // A dry run reads how much of the caps is used, and which recipients are suppressed.
    'rate-counters': ['GetItem'],
    suppressions: ['BatchGetItem'],
  },
  settings: ['STAGE_SMS_SENDER', 'ALLOWED_COUNTRIES', 'SMS_CARRIER', 'WHATSAPP_CARRIER'],
} as const satisfies Uses;

/** A request with a known idempotency key reads the first request's message. */
const keyed = { tables: { messages: ['GetItem'] } } as const satisfies Uses;

export const sendRequest = [
  authenticatedRequests,
  countedCaps,
  webhookRules,
  sends,
] as const satisfies readonly Uses[];

/** The resources that administrators' operations use. Their command line uses the credentials of its caller. */
export const administration = [
  recordedActivity,
  webhookQueues,
  webhookRules,
  {
    tables: {
      clients: ['GetItem', 'PutItem', 'UpdateItem', 'Scan'],
      // A rotation reads and keeps the current webhook secret. No response contains a stored secret.
      'client-secrets': ['GetItem', 'UpdateItem'],
      'api-keys': ['GetItem', 'PutItem', 'UpdateItem', 'Query by-client'],
      'limit-overrides': ['Query', 'Scan', 'UpdateItem', 'DeleteItem'],
      senders: ['Query', 'Scan', 'UpdateItem', 'DeleteItem'],
      'rate-counters': ['GetItem', 'BatchGetItem'],
      'activity-log': ['Query', 'Query by-kind', 'Query by-client'],
      messages: [
        'GetItem',
        'BatchGetItem',
        'UpdateItem',
        'Query by-client',
        'Query by-reference',
        'Query by-recipient',
        'Query by-carrier-id',
      ],
      batches: ['GetItem'],
      'one-time-passwords': ['GetItem'],
      'otp-holds': ['GetItem', 'UpdateItem', 'Query', 'Scan'],
      'webhook-endpoints': ['GetItem', 'Query'],
      // This index finds endpoints whose webhooks wait for a retry.
      'webhook-deliveries': [...loggedDeliveries, 'Query due'],
      suppressions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem'],
      'whatsapp-windows': ['GetItem'],
      'message-usage': ['BatchGetItem', 'Query'],
      'simulator-outbox': ['Query', 'Query by-day'],
    },
    // An administrator can simulate inbound messages.
    sendsTo: ['receipts'],
    // The credentials of carriers are checked with a call; no response contains a credential.
    secrets: ['carriers'],
    settings: [
      'CURRENCY',
      'COUNTRY',
      'ALLOWED_COUNTRIES',
      'STAGE_CAPS',
      'SMS_CARRIER',
      'WHATSAPP_CARRIER',
      'CARRIER_BASE_URLS',
    ],
  },
] as const satisfies readonly Uses[];

const requestUses = {
  'issue-token': [
    countedRequests,
    // Each token with the scope `admin` is recorded in the Activity Log.
    recordedActivity,
    {
      tables: { clients: ['GetItem'], 'limit-overrides': ['Query'], 'signing-keys': ['PutItem'] },
      secrets: ['token-key'],
      settings: ['TOKEN_AUDIENCE'],
    },
  ],

  'send-sms': [...sendRequest, keyed],
  'send-whatsapp': [...sendRequest, keyed],
  'send-bulk-sms': [
    ...sendRequest,
    {
      tables: {
        batches: ['GetItem', 'PutItem', 'UpdateItem'],
        'sender-pace': ['UpdateItem'],
      },
    },
  ],
  'send-otp': [
    ...sendRequest,
    keyed,
    { tables: { 'one-time-passwords': ['GetItem', 'PutItem', 'UpdateItem'], 'otp-holds': ['Query'] } },
  ],
  'verify-otp': [
    authenticatedRequests,
    { tables: { 'one-time-passwords': ['GetItem', 'UpdateItem'] }, secrets: ['otp-secret'] },
  ],

  'get-message-status': [
    authenticatedRequests,
    {
      tables: {
        messages: ['GetItem', 'BatchGetItem'],
        batches: ['GetItem'],
        'whatsapp-windows': ['GetItem'],
      },
    },
  ],
  'list-messages': [
    authenticatedRequests,
    {
      tables: {
        messages: ['BatchGetItem', 'Query by-client', 'Query by-reference', 'Query by-recipient'],
        'simulator-outbox': ['Query', 'Query by-day'],
      },
    },
  ],
  'cancel-message': [authenticatedRequests, { tables: { messages: ['GetItem', 'UpdateItem'] } }],

  // Usage and account share a function, because both only read the client's own data.
  'get-account': [
    authenticatedRequests,
    {
      tables: { 'message-usage': ['BatchGetItem'], 'rate-counters': ['GetItem'] },
      settings: ['CURRENCY', 'STAGE_CAPS'],
    },
  ],
  'update-account': [
    authenticatedRequests,
    recordedActivity,
    webhookRules,
    { tables: { clients: ['UpdateItem'] } },
  ],
  'rotate-webhook-secret': [
    authenticatedRequests,
    recordedActivity,
    { tables: { 'client-secrets': ['GetItem', 'UpdateItem'] } },
  ],

  // A test event uses the queues, like any other event.
  'webhook-endpoints': [
    authenticatedRequests,
    recordedActivity,
    webhookRules,
    webhookQueues,
    {
      tables: {
        'webhook-endpoints': ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
        'client-secrets': ['GetItem', 'UpdateItem'],
        'webhook-deliveries': ['PutItem'],
      },
      // Destinations in the gateway's own account are rejected.
      settings: ['GATEWAY_ACCOUNT', 'GATEWAY_PARTITION'],
    },
  ],
  'webhook-deliveries': [
    authenticatedRequests,
    recordedActivity,
    webhookQueues,
    {
      tables: {
        'webhook-deliveries': loggedDeliveries,
        'webhook-endpoints': ['GetItem', 'Query'],
        messages: ['GetItem'],
      },
    },
  ],
  suppressions: [
    authenticatedRequests,
    { tables: { suppressions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem'] } },
  ],

  // One function serves the documentation, the metadata and the public keys.
  'describe-api': [
    countedRequests,
    {
      tables: { 'signing-keys': ['Scan', 'PutItem'] },
      secrets: ['token-public-key'],
      settings: ['TOKEN_AUDIENCE'],
    },
  ],
  'carrier-callback': [
    countedRequests,
    {
      sendsTo: ['receipts'],
      secrets: ['carriers'],
      settings: ['SMS_CARRIER', 'WHATSAPP_CARRIER', 'CARRIER_BASE_URLS'],
    },
  ],

  'refuse-unmatched': [countedRequests],

  'admin-api': [authenticatedRequests, ...administration],
  // It serves only files; an administrator must sign in to see data.
  'admin-dashboard': [countedRequests],
} as const satisfies Readonly<
  Record<
    | (typeof routes)[keyof typeof routes]['functionName']
    | (typeof adminRoutes)[keyof typeof adminRoutes]['functionName']
    | (typeof carrierRoutes)[keyof typeof carrierRoutes]['functionName']
    | (typeof unmatchedRoute)['functionName'],
    readonly Uses[]
  >
>;

export const functionUses = { ...requestUses, ...workerUses };

export type FunctionName = keyof typeof functionUses;
