/**
 * The webhook-endpoints table contains a row for each endpoint, and a row for each client that counts its endpoints. The
 * secrets are in `client-secrets`. One transaction writes the endpoint, the count and the secret, so the count is exact and
 * every endpoint has a secret.
 *
 * All reads are consistent, so a change applies to the next event. The delivery worker uses conditional writes, so that they
 * never undo a change by the client.
 */
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { WebhookSecret } from '../client/webhook-secrets.dynamo.ts';
import {
  conditionalUpdate,
  conditionalUpdateOnce,
  setOrRemove,
  updateIf,
} from '../platform/aws/conditional-write.dynamo.ts';
import { parseRow, readableRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { retry } from '../platform/retry.ts';
import {
  changedFields,
  endpointsMax,
  type PlannedEndpoint,
  plannedEndpointSchema,
  type WebhookEndpoint,
  webhookEndpointSchema,
} from './webhook-endpoint.ts';

/** Returns all endpoints of the client, oldest first, with one query. */
export async function webhookEndpointsOf(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  clientId: string,
): Promise<readonly WebhookEndpoint[]> {
  return readableRows(webhookEndpointSchema, await endpointRowsOf(context, clientId), 'endpoint_id');
}

/** Returns endpoints with malformed rows too: their events are planned, and wait until an operator corrects the row. */
export async function plannedEndpointsOf(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  clientId: string,
): Promise<readonly PlannedEndpoint[]> {
  return (await endpointRowsOf(context, clientId)).map((row) => plannedEndpointSchema.parse(row));
}

async function endpointRowsOf({ db, env }: Context<'WEBHOOK_ENDPOINTS_TABLE'>, clientId: string) {
  const { Items = [] } = await db.send(
    new QueryCommand({
      TableName: env.WEBHOOK_ENDPOINTS_TABLE,
      KeyConditionExpression: 'client_id = :client AND begins_with(endpoint_id, :prefix)',
      ExpressionAttributeValues: { ':client': clientId, ':prefix': 'whe_' },
      ConsistentRead: true,
    }),
  );
  return Items;
}

export function readEndpoint(
  { db, env }: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  clientId: string,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  // `endpoint_id` is first, because the log names the row by the first attribute of its key.
  const Key = { endpoint_id: endpointId, client_id: clientId };
  const row = { TableName: env.WEBHOOK_ENDPOINTS_TABLE, Key, ConsistentRead: true };
  return readRow(db, webhookEndpointSchema, row);
}

function endpointOf(row: Readonly<Record<string, unknown>> = {}): WebhookEndpoint {
  return parseRow(webhookEndpointSchema, row, 'endpoint_id');
}

function keyOf({ env }: Context<'WEBHOOK_ENDPOINTS_TABLE'>, { client_id, endpoint_id }: WebhookEndpoint) {
  return { TableName: env.WEBHOOK_ENDPOINTS_TABLE, Key: { client_id, endpoint_id } };
}

/**
 * Counts a failed attempt at most once: if the response of DynamoDB is lost, the attempt may stay uncounted. Returns the
 * new row, or undefined if the endpoint is deleted or disabled.
 */
export async function addEndpointFailure(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  endpoint: WebhookEndpoint,
): Promise<WebhookEndpoint | undefined> {
  const adding = await conditionalUpdateOnce(context.db, {
    ...keyOf(context, endpoint),
    UpdateExpression: 'SET failing_since = if_not_exists(failing_since, :at) ADD failed_attempts :one',
    ConditionExpression: 'enabled = :yes',
    ExpressionAttributeValues: { ':at': context.clock().toISOString(), ':one': 1, ':yes': true },
    ReturnValues: 'ALL_NEW',
  });
  return adding.applied ? endpointOf(adding.response.Attributes) : undefined;
}

export async function clearEndpointFailures(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  endpoint: WebhookEndpoint,
): Promise<void> {
  await updateIf(context.db, keyOf(context, endpoint), { enabled: true }, noFailures);
}

const noFailures = { failing_since: undefined, failed_attempts: undefined };

/**
 * Disables an endpoint, unless it has had a success or the client has changed it since it was read. Returns undefined in these
 * cases, or if it is already disabled.
 */
export async function disableEndpoint(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  endpoint: WebhookEndpoint,
  by: { readonly disabled_at: string; readonly disabled_reason: string; readonly revision: string },
): Promise<WebhookEndpoint | undefined> {
  // The failures are removed too, so that they are counted from zero when anybody enables the endpoint again.
  const disabled = { enabled: false, notice_pending: true, ...by, ...noFailures };
  const key = keyOf(context, endpoint);
  const { failing_since, revision } = endpoint;
  const unchanged = by.disabled_reason === 'gone' ? { revision } : { failing_since };
  const { applied, row } = await updateIf(context.db, key, { enabled: true, ...unchanged }, disabled);
  return applied && row !== undefined ? endpointOf(row) : undefined;
}

/** Records that the client was told about the disabled endpoint. */
export async function noteNoticeSent(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  endpoint: WebhookEndpoint,
): Promise<void> {
  const { disabled_at } = endpoint;
  await updateIf(context.db, keyOf(context, endpoint), { disabled_at }, { notice_pending: undefined });
}

/**
 * Stores the endpoint with its secret. Returns false if the client already has `endpointsMax` endpoints, even if several
 * requests run at once.
 */
export async function storeEndpoint(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE' | 'CLIENT_SECRETS_TABLE'>,
  endpoint: WebhookEndpoint,
  secret: WebhookSecret,
): Promise<boolean> {
  const { client_id, endpoint_id } = endpoint;
  const secretsRow = { TableName: context.env.CLIENT_SECRETS_TABLE, Key: { client_id } };
  // A path inside a map can be set only if the map exists, so this write creates the map first.
  await withoutConflict(() =>
    context.db.send(
      new UpdateCommand({
        ...secretsRow,
        UpdateExpression: 'SET endpoint_secrets = if_not_exists(endpoint_secrets, :none)',
        ExpressionAttributeValues: { ':none': {} },
      }),
    ),
  );
  const failed = await failedWrites(context, [
    {
      Update: {
        ...countRow(context, client_id),
        UpdateExpression: 'SET endpoints = if_not_exists(endpoints, :none) + :one',
        ConditionExpression: 'attribute_not_exists(endpoints) OR endpoints < :max',
        ExpressionAttributeValues: { ':none': 0, ':one': 1, ':max': endpointsMax },
      },
    },
    {
      Put: {
        TableName: context.env.WEBHOOK_ENDPOINTS_TABLE,
        Item: { ...endpoint },
        ConditionExpression: 'attribute_not_exists(endpoint_id)',
      },
    },
    {
      Update: {
        ...secretsRow,
        UpdateExpression: 'SET endpoint_secrets.#endpoint = :secrets',
        ExpressionAttributeNames: { '#endpoint': endpoint_id },
        ExpressionAttributeValues: { ':secrets': [secret] },
      },
    },
  ]);
  return failed.length === 0;
}

/**
 * Writes only the fields in which `next` differs from `seen`, so simultaneous changes of other fields succeed too. Returns
 * the new row, or undefined if the row does not exist.
 */
export async function updateEndpointRow(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  seen: WebhookEndpoint,
  next: WebhookEndpoint,
): Promise<WebhookEndpoint | undefined> {
  const { UpdateExpression, ...values } = setOrRemove(changedFields(seen, next));
  const changing = await conditionalUpdate(context.db, {
    ...keyOf(context, next),
    ...values,
    // If another write has disabled the endpoint, this expression keeps that write's time and reason.
    UpdateExpression: UpdateExpression.replace(/(#disabled_\w+) = (:\w+)/g, '$1 = if_not_exists($1, $2)'),
    ConditionExpression: 'attribute_exists(endpoint_id)',
    ReturnValues: 'ALL_NEW',
  });
  return changing.applied ? endpointOf(changing.response.Attributes) : undefined;
}

/** Removes the endpoint with its secrets. Returns false if the endpoint does not exist. */
export async function removeEndpoint(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE' | 'CLIENT_SECRETS_TABLE'>,
  clientId: string,
  endpointId: string,
): Promise<boolean> {
  const failed = await failedWrites(context, [
    {
      Delete: {
        TableName: context.env.WEBHOOK_ENDPOINTS_TABLE,
        Key: { client_id: clientId, endpoint_id: endpointId },
        ConditionExpression: 'attribute_exists(endpoint_id)',
      },
    },
    {
      Update: {
        ...countRow(context, clientId),
        UpdateExpression: 'SET endpoints = endpoints - :one',
        ConditionExpression: 'endpoints > :none',
        ExpressionAttributeValues: { ':none': 0, ':one': 1 },
      },
    },
    {
      Update: {
        TableName: context.env.CLIENT_SECRETS_TABLE,
        Key: { client_id: clientId },
        UpdateExpression: 'REMOVE endpoint_secrets.#endpoint',
        ConditionExpression: 'attribute_exists(endpoint_secrets)',
        ExpressionAttributeNames: { '#endpoint': endpointId },
      },
    },
  ]);
  if (failed.length === 0) return true;
  if (failed.includes(0)) return false;
  throw new Error('the number or the secrets of the endpoints of a client are missing');
}

function countRow({ env }: Context<'WEBHOOK_ENDPOINTS_TABLE'>, clientId: string) {
  return { TableName: env.WEBHOOK_ENDPOINTS_TABLE, Key: { client_id: clientId, endpoint_id: 'count' } };
}

/**
 * Returns the indexes of the items whose condition failed, or an empty list if everything was written. The SDK sends the
 * same token with each retry of one call, so a retry changes nothing.
 */
async function failedWrites(
  { db }: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  TransactItems: TransactWriteCommandInput['TransactItems'],
): Promise<readonly number[]> {
  try {
    await withoutConflict(() => db.send(new TransactWriteCommand({ TransactItems })));
    return [];
  } catch (error) {
    const failed = error instanceof TransactionCanceledException ? failedConditions(error) : [];
    if (failed.length > 0) return failed;
    throw error;
  }
}

/** The delays between the repeats while another transaction on the same client is running. */
const conflictDelaysMs = [20, 50, 100, 200, 400, 800];

/** Repeats a write while transactions on the same client are running. */
function withoutConflict<T>(write: () => Promise<T>): Promise<T> {
  const delaysMs = conflictDelaysMs.map((delayMs) => delayMs * (0.5 + Math.random()));
  return retry({ delaysMs, isRetryable: isConflict }, write);
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  return error instanceof TransactionCanceledException && failedConditions(error).length === 0;
}

function failedConditions({ CancellationReasons = [] }: TransactionCanceledException): number[] {
  return CancellationReasons.flatMap(({ Code }, index) => (Code === 'ConditionalCheckFailed' ? [index] : []));
}
