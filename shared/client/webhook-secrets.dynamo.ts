/** The client-secrets table, with the secrets that sign webhooks: few functions may read it, fewer may replace them. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { modeOf, settingsIdOf } from '../contract/mode.ts';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { type WebhookSecretStore, type WebhookSecrets, webhookSecret } from './webhook-secrets.ts';

const secretList = z._default(z.array(webhookSecret), []);
/** Parses the list of the client and the lists of endpoints one by one, so that a malformed list affects no other. */
const secretsRow = z.object({
  webhook_secrets: z.optional(z.unknown()),
  endpoint_secrets: z.optional(z.unknown()),
});
const listsOfEndpoints = z._default(z.record(z.string(), z.unknown()), {});

export function dynamoWebhookSecrets(client: DynamoDBDocumentClient, TableName: string): WebhookSecrets {
  async function find(clientId: string, endpointId?: string): ReturnType<WebhookSecrets['find']> {
    const key = { TableName, Key: { client_id: clientId }, ConsistentRead: true };
    const row = await readRow(client, secretsRow, key);
    const secrets =
      endpointId === undefined
        ? row?.webhook_secrets
        : listsOfEndpoints.parse(row?.endpoint_secrets)[endpointId];
    // Test webhooks are signed as live ones until a test key makes a secret.
    const isOfAccount = endpointId === undefined && modeOf(clientId) === 'test';
    if (secrets === undefined && isOfAccount) return find(settingsIdOf(clientId));
    return secretList.parse(secrets);
  }
  return { find };
}

export function dynamoWebhookSecretStore(
  dynamo: DynamoDBDocumentClient,
  TableName: string,
): WebhookSecretStore {
  return {
    ...dynamoWebhookSecrets(dynamo, TableName),
    replace: async (clientId, before, after, endpointId) => {
      const list = endpointId === undefined ? 'webhook_secrets' : 'endpoint_secrets.#endpoint';
      // Test data uses the client's secrets until it has its own. A deleted endpoint must not get secrets again.
      const mayBeAbsent = endpointId === undefined && (before.length === 0 || modeOf(clientId) === 'test');
      const { applied } = await conditionalUpdate(dynamo, {
        TableName,
        Key: { client_id: clientId },
        UpdateExpression: `SET ${list} = :after`,
        ConditionExpression: mayBeAbsent
          ? `attribute_not_exists(${list}) OR ${list} = :before`
          : `${list} = :before`,
        ExpressionAttributeValues: { ':before': before, ':after': after },
        ExpressionAttributeNames: endpointId === undefined ? undefined : { '#endpoint': endpointId },
      });
      return applied;
    },
  };
}
