/** Requests to resend many webhooks are rows of the webhook-deliveries table, with their id in the place of a delivery's. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoRevisedRows } from '../store/revised-rows.dynamo.ts';
import { type ResendStore, resendSchema } from './resend.ts';

export function dynamoResendStore(client: DynamoDBDocumentClient, tableName: string): ResendStore {
  return dynamoRevisedRows(client, tableName, resendSchema, ({ resend_id }) => resend_id);
}
