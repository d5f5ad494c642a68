/** Reads and replaces the secrets that sign webhooks, in a separate table that few functions may read. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { dynamoWebhookSecrets } from './webhook-secrets.dynamo.ts';
import type { WebhookSecretStore } from './webhook-secrets.ts';

export function dynamoWebhookSecretStore(
  dynamo: DynamoDBDocumentClient,
  TableName: string,
): WebhookSecretStore {
  return {
    ...dynamoWebhookSecrets(dynamo, TableName),
    replace: async (clientId, before, after, endpointId) => {
      const list = endpointId === undefined ? 'webhook_secrets' : 'endpoint_secrets.#endpoint';
      const { applied } = await conditionalUpdate(dynamo, {
        TableName,
        Key: { client_id: clientId },
        UpdateExpression: `SET ${list} = :after`,
        ConditionExpression: before.length === 0 ? `attribute_not_exists(${list})` : `${list} = :before`,
        ExpressionAttributeValues:
          before.length === 0 ? { ':after': after } : { ':before': before, ':after': after },
        ExpressionAttributeNames: endpointId === undefined ? undefined : { '#endpoint': endpointId },
      });
      return applied;
    },
  };
}
