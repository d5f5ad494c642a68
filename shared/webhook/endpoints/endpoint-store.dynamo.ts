/**
 * The webhook-endpoints table: a row for each endpoint, and one row for each client with their number. The secrets are in
 * `client-secrets`. A transaction writes all three, so the number is exact and no endpoint is without a secret.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { setOrRemove } from '../../platform/aws/update-expression.dynamo.ts';
import { log } from '../../platform/log.ts';
import { retry } from '../../platform/retry.ts';
import type { EndpointReader, EndpointResults, EndpointStore } from './endpoint-store.ts';
import { endpointsMax, type WebhookEndpoint, webhookEndpointSchema } from './webhook-endpoint.ts';

type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** The sort key of the row with the number of a client's endpoints. */
const countKey = 'count';
const removable = [
  'role_arn',
  'events',
  'description',
  'disabled_at',
  'disabled_reason',
  'notice_pending',
  'failing_since',
  'failed_attempts',
] as const;
/** Another transaction on the same client was running. */
const conflictDelaysMs = [20, 50, 100, 200, 400, 800];

export function dynamoEndpointReader(client: DynamoDBDocumentClient, TableName: string): EndpointReader {
  return {
    async list(clientId) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'client_id = :client AND begins_with(endpoint_id, :prefix)',
          ExpressionAttributeValues: { ':client': clientId, ':prefix': 'whe_' },
          ConsistentRead: true,
        }),
      );
      return Items.flatMap((item) => readable(item) ?? []);
    },

    async get(clientId, endpointId) {
      const Key = { client_id: clientId, endpoint_id: endpointId };
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item === undefined ? undefined : readable(Item);
    },
  };
}

/** A row that a person edited wrongly is logged and left out; the client's other endpoints are not affected. */
function readable(row: Record<string, unknown>): WebhookEndpoint | undefined {
  const { success, data, error } = webhookEndpointSchema.safeParse(row);
  if (success) return data;
  const { client_id, endpoint_id } = row;
  log.error('webhook endpoint unreadable', {
    client_id,
    endpoint_id,
    fields: error.issues.map((i) => i.path),
  });
  return undefined;
}

export function dynamoEndpointResults(client: DynamoDBDocumentClient, TableName: string): EndpointResults {
  /** The row after the update; undefined if the condition failed. */
  async function update(
    { client_id, endpoint_id }: WebhookEndpoint,
    UpdateExpression: string,
    ConditionExpression: string,
    ExpressionAttributeValues: Readonly<Record<string, unknown>>,
  ): Promise<WebhookEndpoint | undefined> {
    const updating = await conditionalUpdate(client, {
      TableName,
      Key: { client_id, endpoint_id },
      UpdateExpression,
      ConditionExpression,
      ExpressionAttributeValues,
      ReturnValues: 'ALL_NEW',
    });
    return updating.applied ? readable(updating.response.Attributes ?? {}) : undefined;
  }

  return {
    addFailure: (endpoint, at) =>
      update(
        endpoint,
        'SET failing_since = if_not_exists(failing_since, :at) ADD failed_attempts :one',
        'enabled = :yes',
        { ':at': at.toISOString(), ':one': 1, ':yes': true },
      ),

    async clearFailures(endpoint) {
      await update(endpoint, 'REMOVE failing_since, failed_attempts', 'enabled = :yes', { ':yes': true });
    },

    disable: (failing, { disabled_at, disabled_reason, revision }) =>
      update(
        failing,
        'SET enabled = :no, notice_pending = :yes, disabled_at = :at, disabled_reason = :reason, revision = :revision',
        'enabled = :yes AND failing_since = :since',
        {
          ':no': false,
          ':yes': true,
          ':at': disabled_at,
          ':reason': disabled_reason,
          ':revision': revision,
          ':since': failing.failing_since,
        },
      ),

    async noticeSent(endpoint) {
      await update(endpoint, 'REMOVE notice_pending', 'disabled_at = :at', { ':at': endpoint.disabled_at });
    },
  };
}

export function dynamoEndpointStore(
  client: DynamoDBDocumentClient,
  TableName: string,
  secretsTable: string,
): EndpointStore {
  const count = (clientId: string, update: string, condition: string, values: Record<string, number>) => ({
    Update: {
      TableName,
      Key: { client_id: clientId, endpoint_id: countKey },
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
    },
  });

  /** False if a condition failed. The SDK gives its tries of one call the same token, so a repeat changes nothing. */
  async function write(TransactItems: TransactItems): Promise<boolean> {
    const isConflict = (error: unknown) =>
      error instanceof TransactionCanceledException && !failsCondition(error);
    const delaysMs = conflictDelaysMs.map((delayMs) => delayMs * (0.5 + Math.random()));
    try {
      await retry({ delaysMs, isRetryable: isConflict }, () =>
        client.send(new TransactWriteCommand({ TransactItems })),
      );
      return true;
    } catch (error) {
      if (error instanceof TransactionCanceledException && failsCondition(error)) return false;
      throw error;
    }
  }

  return {
    ...dynamoEndpointReader(client, TableName),

    async create(endpoint, secret) {
      const { client_id, endpoint_id } = endpoint;
      // A path inside of a map can be set only if the map exists.
      await client.send(
        new UpdateCommand({
          TableName: secretsTable,
          Key: { client_id },
          UpdateExpression: 'SET endpoint_secrets = if_not_exists(endpoint_secrets, :none)',
          ExpressionAttributeValues: { ':none': {} },
        }),
      );
      return write([
        count(
          client_id,
          'SET endpoints = if_not_exists(endpoints, :none) + :one',
          'attribute_not_exists(endpoints) OR endpoints < :max',
          { ':none': 0, ':one': 1, ':max': endpointsMax },
        ),
        {
          Put: {
            TableName,
            Item: { ...endpoint },
            ConditionExpression: 'attribute_not_exists(endpoint_id)',
          },
        },
        {
          Update: {
            TableName: secretsTable,
            Key: { client_id },
            UpdateExpression: 'SET endpoint_secrets.#endpoint = :secrets',
            ExpressionAttributeNames: { '#endpoint': endpoint_id },
            ExpressionAttributeValues: { ':secrets': [secret] },
          },
        },
      ]);
    },

    async replace(seen, next) {
      const { client_id, endpoint_id, created_at: _created, ...fields } = next;
      // The worker writes these two; a change by the client only removes them.
      const { failing_since: _since, failed_attempts: _attempts, ...settings } = fields;
      const absent = removable.filter((name) => next[name] === undefined).map((name) => [name, undefined]);
      const { ExpressionAttributeValues, ...expressions } = setOrRemove({
        ...Object.fromEntries(absent),
        ...settings,
      });
      const replacing = await conditionalUpdate(client, {
        TableName,
        Key: { client_id, endpoint_id },
        ...expressions,
        ConditionExpression: '#revision = :seen',
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':seen': seen.revision },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return replacing.applied || replacing.row?.revision === next.revision;
    },

    delete: (clientId, endpointId) =>
      write([
        {
          Delete: {
            TableName,
            Key: { client_id: clientId, endpoint_id: endpointId },
            ConditionExpression: 'attribute_exists(endpoint_id)',
          },
        },
        count(clientId, 'SET endpoints = endpoints - :one', 'endpoints > :none', { ':none': 0, ':one': 1 }),
        {
          Update: {
            TableName: secretsTable,
            Key: { client_id: clientId },
            UpdateExpression: 'REMOVE endpoint_secrets.#endpoint',
            // DynamoDB refuses the path as not valid where there is no map.
            ConditionExpression: 'attribute_exists(endpoint_secrets)',
            ExpressionAttributeNames: { '#endpoint': endpointId },
          },
        },
      ]),
  };
}

function failsCondition({ CancellationReasons = [] }: TransactionCanceledException): boolean {
  return CancellationReasons.some(({ Code }) => Code === 'ConditionalCheckFailed');
}
