/** Reads the client-secrets table; only the delivery and admin functions have that permission. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

const secretList = z._default(
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
);
/** The lists of endpoints are parsed one by one, so that a malformed one stops no other. */
const secretsRow = z.object({
  webhook_secrets: z.optional(z.unknown()),
  endpoint_secrets: z._default(z.record(z.string(), z.unknown()), {}),
});

export function dynamoWebhookSecrets(client: DynamoDBDocumentClient, TableName: string): WebhookSecrets {
  return {
    async find(clientId, endpointId) {
      const key = { TableName, Key: { client_id: clientId }, ConsistentRead: true };
      const row = await readRow(client, secretsRow, key);
      if (row === undefined) return [];
      return secretList.parse(
        endpointId === undefined ? row.webhook_secrets : row.endpoint_secrets[endpointId],
      );
    },
  };
}
