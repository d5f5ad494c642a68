/** Reads the client-secrets table, which only the delivery and admin functions may. */
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { WebhookSecrets } from './webhook-secrets.ts';

const secretsRow = z.object({
  webhook_secrets: z
    .array(
      z.object({
        secret: z.string().min(1),
        created_at: z.iso.datetime(),
        expires_at: z.iso.datetime().optional(),
      }),
    )
    .default([]),
});

export function dynamoWebhookSecrets(client: DynamoDBDocumentClient, tableName: string): WebhookSecrets {
  return {
    async ofClient(clientId) {
      const answer = await client.send(
        new GetCommand({ TableName: tableName, Key: { client_id: clientId }, ConsistentRead: true }),
      );
      return answer.Item === undefined ? [] : secretsRow.parse(answer.Item).webhook_secrets;
    },
  };
}
