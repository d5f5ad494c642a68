/**
 * The webhook-endpoints table: a row for each endpoint, and one row for each client with their number. The secrets are in
 * `client-secrets`. A transaction writes all three, so the number is exact and no endpoint is without a secret.
 */
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { WebhookSecret } from '../client/webhook-secrets.ts';
import {
  conditionalUpdate,
  conditionalUpdateOnce,
  setOrRemove,
  updateIf,
} from '../platform/aws/conditional-write.dynamo.ts';
import { parseRow, readableRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import { retry } from '../platform/retry.ts';
import {
  changedFields,
  endpointsMax,
  type PlannedEndpoint,
  plannedEndpointSchema,
  type WebhookEndpoint,
  webhookEndpointSchema,
} from './webhook-endpoint.ts';

/** Reads and writes a client's webhook endpoints. All reads are consistent, so a change counts for the next event. */
export type EndpointReader = ReturnType<typeof dynamoEndpointReader>;

/**
 * The results that the delivery worker stores in the row, under conditions, so that none of them undoes a change by
 * the client.
 */
export type EndpointResults = ReturnType<typeof dynamoEndpointResults>;

export type EndpointStore = ReturnType<typeof dynamoEndpointStore>;

type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

const countKey = 'count';
/** Another transaction on the same client was running. */
const conflictDelaysMs = [20, 50, 100, 200, 400, 800];

export function dynamoEndpointReader(client: DynamoDBDocumentClient, TableName: string) {
  async function rowsOf(clientId: string): Promise<readonly Record<string, unknown>[]> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'client_id = :client AND begins_with(endpoint_id, :prefix)',
        ExpressionAttributeValues: { ':client': clientId, ':prefix': 'whe_' },
        ConsistentRead: true,
      }),
    );
    return Items;
  }

  return {
    /** Returns all endpoints of the client, oldest first, with one query. */
    list: async (clientId: string): Promise<readonly WebhookEndpoint[]> =>
      readableRows(webhookEndpointSchema, await rowsOf(clientId), 'endpoint_id'),
    /** Like `list`, but includes malformed rows: their events are planned too, and wait until the row is corrected. */
    listPlanned: async (clientId: string): Promise<readonly PlannedEndpoint[]> =>
      (await rowsOf(clientId)).map((row) => plannedEndpointSchema.parse(row)),
    get: (clientId: string, endpointId: string): Promise<WebhookEndpoint | undefined> => {
      // The first attribute names the row in the log.
      const Key = { endpoint_id: endpointId, client_id: clientId };
      return readRow(client, webhookEndpointSchema, { TableName, Key, ConsistentRead: true });
    },
  };
}

const endpointOf = (row: Readonly<Record<string, unknown>>): WebhookEndpoint =>
  parseRow(webhookEndpointSchema, row, 'endpoint_id');

export function dynamoEndpointResults(client: DynamoDBDocumentClient, TableName: string) {
  const rowOf = ({ client_id, endpoint_id }: WebhookEndpoint) => ({
    TableName,
    Key: { client_id, endpoint_id },
  });

  return {
    /**
     * Counts a failed attempt, never twice; after a lost response it may be counted or not. Returns the row
     * afterwards; undefined if the endpoint is deleted or disabled.
     */
    async addFailure(endpoint: WebhookEndpoint, at: Date): Promise<WebhookEndpoint | undefined> {
      const adding = await conditionalUpdateOnce(client, {
        ...rowOf(endpoint),
        UpdateExpression: 'SET failing_since = if_not_exists(failing_since, :at) ADD failed_attempts :one',
        ConditionExpression: 'enabled = :yes',
        ExpressionAttributeValues: { ':at': at.toISOString(), ':one': 1, ':yes': true },
        ReturnValues: 'ALL_NEW',
      });
      return adding.applied ? endpointOf(adding.response.Attributes ?? {}) : undefined;
    },

    async clearFailures(endpoint: WebhookEndpoint): Promise<void> {
      await updateIf(client, rowOf(endpoint), { enabled: true }, noFailures);
    },

    /** Disables an endpoint that has failed all the time since `failing`; undefined if it has not, or is disabled already. */
    async disable(
      failing: WebhookEndpoint,
      by: Required<Pick<WebhookEndpoint, 'disabled_at' | 'disabled_reason' | 'revision'>>,
    ): Promise<WebhookEndpoint | undefined> {
      const { failing_since } = failing;
      // Its failures are counted from zero once it is enabled, also if an operator enables it in the console.
      const disabled = { enabled: false, notice_pending: true, ...by, ...noFailures };
      const { applied, row } = await updateIf(
        client,
        rowOf(failing),
        { enabled: true, failing_since },
        disabled,
      );
      return applied && row !== undefined ? endpointOf(row) : undefined;
    },

    /** Notes that the client was told that the endpoint is disabled. */
    async noticeSent(endpoint: WebhookEndpoint): Promise<void> {
      const { disabled_at } = endpoint;
      await updateIf(client, rowOf(endpoint), { disabled_at }, { notice_pending: undefined });
    },
  };
}

const noFailures = { failing_since: undefined, failed_attempts: undefined };

export function dynamoEndpointStore(client: DynamoDBDocumentClient, TableName: string, secretsTable: string) {
  const count = (clientId: string, update: string, condition: string, values: Record<string, number>) => ({
    Update: {
      TableName,
      Key: { client_id: clientId, endpoint_id: countKey },
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
    },
  });

  /**
   * Returns the indexes of the items whose condition failed; none if everything is written. The SDK uses the same
   * token for the retries of one call, so a repeat changes nothing.
   */
  async function write(TransactItems: TransactItems): Promise<readonly number[]> {
    try {
      await withoutConflict(() => client.send(new TransactWriteCommand({ TransactItems })));
      return [];
    } catch (error) {
      const failed = error instanceof TransactionCanceledException ? failedConditions(error) : [];
      if (failed.length > 0) return failed;
      throw error;
    }
  }

  return {
    ...dynamoEndpointReader(client, TableName),

    /** Stores the endpoint with its secret; false if the client has `endpointsMax` already, at any concurrency. */
    async create(endpoint: WebhookEndpoint, secret: WebhookSecret): Promise<boolean> {
      const { client_id, endpoint_id } = endpoint;
      // A path inside of a map can be set only if the map exists.
      await withoutConflict(() =>
        client.send(
          new UpdateCommand({
            TableName: secretsTable,
            Key: { client_id },
            UpdateExpression: 'SET endpoint_secrets = if_not_exists(endpoint_secrets, :none)',
            ExpressionAttributeValues: { ':none': {} },
          }),
        ),
      );
      const failed = await write([
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
      return failed.length === 0;
    },

    /**
     * Writes the fields in which `next` differs from `seen`. Other fields may have changed in the meantime, so
     * simultaneous changes all succeed. Returns the row afterwards; undefined if it does not exist.
     */
    async change(seen: WebhookEndpoint, next: WebhookEndpoint): Promise<WebhookEndpoint | undefined> {
      const { client_id, endpoint_id } = next;
      const { UpdateExpression, ...values } = setOrRemove(changedFields(seen, next));
      const changing = await conditionalUpdate(client, {
        TableName,
        Key: { client_id, endpoint_id },
        ...values,
        // If the endpoint was disabled in the meantime, its time and reason stay.
        UpdateExpression: UpdateExpression.replace(/(#disabled_\w+) = (:\w+)/g, '$1 = if_not_exists($1, $2)'),
        ConditionExpression: 'attribute_exists(endpoint_id)',
        ReturnValues: 'ALL_NEW',
      });
      return changing.applied ? endpointOf(changing.response.Attributes ?? {}) : undefined;
    },

    /** Deletes the endpoint with its secrets; false if it does not exist. */
    async delete(clientId: string, endpointId: string): Promise<boolean> {
      const rows: TransactItems = [
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
            ConditionExpression: 'attribute_exists(endpoint_secrets)',
            ExpressionAttributeNames: { '#endpoint': endpointId },
          },
        },
      ];
      const failed = await write(rows);
      if (failed.length === 0) return true;
      if (failed.includes(0)) return false;
      throw new Error('the number or the secrets of the endpoints of a client are missing');
    },
  };
}

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
