/** Reads and replaces the secrets that sign webhooks, in a separate table that few functions may read. */
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { conditionHolds } from '../platform/aws/conditional-write.dynamo.ts';
import { dynamoWebhookSecrets } from './webhook-secrets.dynamo.ts';
import type { WebhookSecretStore } from './webhook-secrets.ts';

export function dynamoWebhookSecretStore(
  dynamo: DynamoDBDocumentClient,
  TableName: string,
): WebhookSecretStore {
  return {
    ...dynamoWebhookSecrets(dynamo, TableName),
    replace: (clientId, before, after, endpointId) => {
      const list = endpointId === undefined ? 'webhook_secrets' : 'endpoint_secrets.#endpoint';
      return conditionHolds(
        dynamo.send(
          new UpdateCommand({
            TableName,
            Key: { client_id: clientId },
            UpdateExpression: `SET ${list} = :after`,
            ConditionExpression: before.length === 0 ? `attribute_not_exists(${list})` : `${list} = :before`,
            ExpressionAttributeValues:
              before.length === 0 ? { ':after': after } : { ':before': before, ':after': after },
            ...(endpointId === undefined ? {} : { ExpressionAttributeNames: { '#endpoint': endpointId } }),
          }),
        ),
      );
    },
  };
}
