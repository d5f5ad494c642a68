/**
 * The form in which `function-uses.ts` declares what each function uses, and parts that several functions share. The
 * variables in the function's environment (`platform/env.ts`) and its role's permissions (`lib/capabilities/grant-uses.ts`)
 * are derived from the declaration.
 */
import type { QueueName } from './queues.ts';
import type { IndexName, TableName } from './tables.ts';
import type { VariableName } from './variables.ts';

export interface SecretVariables {
  readonly 'otp-secret': 'OTP_SECRET_ARN';
  readonly carriers: 'CARRIER_SECRETS';
  readonly 'token-key': 'TOKEN_SIGNING_KEY_ID';
  /** The public part of the signing key. */
  readonly 'token-public-key': 'TOKEN_SIGNING_KEY_ID';
}

export interface Uses {
  /** The actions on each table. `Query by-client` is a query of this index. */
  readonly tables?: {
    readonly [Table in TableName]?: readonly (
      | 'GetItem'
      | 'BatchGetItem'
      | 'Query'
      /** Only for lists that no key can query, in tables with few rows. */
      | 'Scan'
      | 'PutItem'
      | 'UpdateItem'
      | 'DeleteItem'
      | 'ConditionCheckItem'
      | 'BatchWriteItem'
      | `Query ${IndexName<Table>}`
    )[];
  };
  readonly sendsTo?: readonly QueueName[];
  /** The queues that invoke the function, or from which it receives messages itself. It may also delay their messages. */
  readonly receivesFrom?: readonly QueueName[];
  /** The queues whose waiting messages the function counts. */
  readonly counts?: readonly QueueName[];
  readonly schedulesTo?: readonly QueueName[];
  readonly secrets?: readonly (keyof SecretVariables)[];
  /** The settings that the function reads. `RETENTION_DAYS` is added if a table needs it. */
  readonly settings?: readonly VariableName[];
  /** The stages that have this part, with its variables; all stages if absent. */
  readonly where?: 'AWS carries SMS' | 'AWS carries WhatsApp';
}

/** A name in the form of a variable, such as `API_KEYS` for `api-keys`. */
export type Constant<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Uppercase<Word>}_${Constant<Rest>}`
  : Uppercase<Name>;

/** Returns the variable that contains the name of a table or the URL of a queue. */
export function variableOf<Name extends string, Ending extends 'TABLE' | 'QUEUE_URL' | 'QUEUE_ARN'>(
  name: Name,
  ending: Ending,
) {
  return `${name.replaceAll('-', '_').toUpperCase() as Constant<Name>}_${ending}` as const;
}

/** Every request is counted, and every error links to the documentation at the gateway's own URL. */
export const countedRequests = {
  tables: { 'rate-counters': ['UpdateItem'] },
  settings: ['TOKEN_ISSUER', 'TRUSTED_PROXIES'],
} as const satisfies Uses;

/** Callers have a bearer token or an API key, and their own limits. */
export const authenticatedRequests = {
  tables: {
    'rate-counters': ['UpdateItem'],
    'limit-overrides': ['Query'],
    clients: ['GetItem'],
    'api-keys': ['GetItem'],
    // The previous version of the code reads single keys with GetItem, and runs together with this one during a deployment.
    'signing-keys': ['Scan'],
  },
  settings: ['TRUSTED_PROXIES', 'TOKEN_ISSUER', 'TOKEN_AUDIENCE'],
} as const satisfies Uses;

/** The actions that read the log of deliveries, and resend deliveries. */
export const loggedDeliveries = [
  'GetItem',
  'BatchGetItem',
  'PutItem',
  'Query by-client',
  'Query failed-by-client',
] as const;

export const recordedActivity = { tables: { 'activity-log': ['PutItem'] } } as const satisfies Uses;

/** A message counts towards its client's caps, and a reached spend cap is recorded. */
export const countedCaps = {
  tables: { 'rate-counters': ['UpdateItem'], 'activity-log': ['PutItem'] },
  settings: ['STAGE_CAPS', 'PRICES_FILE'],
} as const satisfies Uses;

export const webhookRules = {
  settings: ['WEBHOOK_PORTS', 'WEBHOOK_ALLOW_HTTP', 'WEBHOOK_ALLOW_LOOPBACK'],
} as const satisfies Uses;

export const webhookQueues = { sendsTo: ['webhooks', 'webhook-retries'] } as const satisfies Uses;

export const outboundQueues = {
  sendsTo: ['otp-outbound', 'outbound', 'bulk-outbound'],
} as const satisfies Uses;
