/** Requests to resend many webhooks are rows of the webhook-deliveries table, with their id in the place of a delivery's. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { tryConditionalWrite } from '../../platform/aws/conditional-write.dynamo.ts';
import { type Resend, resendSchema } from './resend.ts';
import type { ResendStore } from './resend-store.ts';

export function dynamoResendStore(client: DynamoDBDocumentClient, tableName: string): ResendStore {
  const itemOf = (resend: Resend) => ({ ...resend, delivery_id: resend.resend_id });
  return {
    async create(resend) {
      const creating = await tryConditionalWrite(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: itemOf(resend),
            ConditionExpression: 'attribute_not_exists(delivery_id)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return creating.applied ? resend : resendSchema.parse(creating.row);
    },

    async get(resendId) {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { delivery_id: resendId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : resendSchema.parse(Item);
    },

    async replace(seen, next) {
      const replacing = await tryConditionalWrite(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: itemOf(next),
            ConditionExpression: 'revision = :seen',
            ExpressionAttributeValues: { ':seen': seen.revision },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return replacing.applied || replacing.row?.revision === next.revision;
    },
  };
}
