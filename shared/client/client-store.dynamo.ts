/** Keeps clients in their table; each change is one write on the condition that it still fits. */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { conditionHolds } from '../platform/aws/conditional-write.dynamo.ts';
import { clientRow, isClientId } from './client.ts';
import type { ClientStore } from './client-store.ts';

export function dynamoClientStore(dynamo: DynamoDBDocumentClient, TableName: string): ClientStore {
  const update = (clientId: string, input: Omit<UpdateCommandInput, 'TableName' | 'Key'>): Promise<boolean> =>
    conditionHolds(dynamo.send(new UpdateCommand({ TableName, Key: { client_id: clientId }, ...input })));

  return {
    async find(clientId) {
      if (!isClientId(clientId)) return undefined;
      const { Item } = await dynamo.send(
        new GetCommand({ TableName, Key: { client_id: clientId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : clientRow.parse(Item);
    },
    async create(client) {
      await dynamo.send(
        new PutCommand({
          TableName,
          Item: client,
          ConditionExpression: 'attribute_not_exists(client_id)',
        }),
      );
    },
    setDisabled: (clientId, disabled) =>
      update(clientId, {
        UpdateExpression: 'SET disabled = :disabled',
        ConditionExpression: 'attribute_exists(client_id)',
        ExpressionAttributeValues: { ':disabled': disabled },
      }),
    setWebhookUrl: (clientId, webhookUrl) =>
      update(clientId, {
        UpdateExpression: webhookUrl === undefined ? 'REMOVE webhook_url' : 'SET webhook_url = :webhook_url',
        ConditionExpression: 'attribute_exists(client_id)',
        ...(webhookUrl === undefined ? {} : { ExpressionAttributeValues: { ':webhook_url': webhookUrl } }),
      }),
    setPermissions: (clientId, change) => {
      const entries = Object.entries(change).filter(([, list]) => list !== undefined);
      const set = entries.filter(([, list]) => list !== null);
      const removed = entries.filter(([, list]) => list === null);
      const clause = (verb: string, parts: readonly string[]) =>
        parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`];
      return update(clientId, {
        UpdateExpression: [
          ...clause(
            'SET',
            set.map(([name]) => `${name} = :${name}`),
          ),
          ...clause(
            'REMOVE',
            removed.map(([name]) => name),
          ),
        ].join(' '),
        ConditionExpression: 'attribute_exists(client_id)',
        ...(set.length === 0
          ? {}
          : { ExpressionAttributeValues: Object.fromEntries(set.map(([name, list]) => [`:${name}`, list])) }),
      });
    },
    replaceSecrets: (clientId, before, after) =>
      update(clientId, {
        UpdateExpression: 'SET secrets = :after',
        ConditionExpression: 'secrets = :before',
        ExpressionAttributeValues: { ':before': before, ':after': after },
      }),
    // A list of all clients has no key to query by; only administrators ask for it, a page at a time.
    async list({ limit, after }) {
      const { Items = [], LastEvaluatedKey } = await dynamo.send(
        new ScanCommand({
          TableName,
          Limit: limit,
          ...(after === undefined ? {} : { ExclusiveStartKey: { client_id: after } }),
        }),
      );
      const next: unknown = LastEvaluatedKey?.client_id;
      return {
        clients: Items.map((item) => clientRow.parse(item)),
        next: typeof next === 'string' ? next : undefined,
      };
    },
  };
}
