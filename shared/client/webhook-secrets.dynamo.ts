/** Reads the client-secrets table; only the delivery and admin functions have that permission. */
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { WebhookSecrets } from './webhook-secrets.ts';

const secretsRow = z.object({
  webhook_secrets: z._default(
    z.array(
      // Keeps attributes that another version added, because the write that replaces the list compares it as a whole.
      z.looseObject({
        secret: z.string().check(z.minLength(1)),
        created_at: z.iso.datetime(),
        active_at: z.optional(z.iso.datetime()),
        expires_at: z.optional(z.iso.datetime()),
      }),
    ),
    [],
  ),
});

export function dynamoWebhookSecrets(client: DynamoDBDocumentClient, tableName: string): WebhookSecrets {
  return {
    async find(clientId) {
      const answer = await client.send(
        new GetCommand({ TableName: tableName, Key: { client_id: clientId }, ConsistentRead: true }),
      );
      return answer.Item === undefined ? [] : secretsRow.parse(answer.Item).webhook_secrets;
    },
  };
}
