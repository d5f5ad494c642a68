/** Which recipients of messages would not be sent to: the suppressions that the hand-over reads, many in one call. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../../platform/aws/batch-read.dynamo.ts';
import type { SuppressedAmong } from '../send/dry-run.ts';
import { applies, isSuppression, suppressionRow } from './suppression.ts';

export function dynamoSuppressedAmong(client: DynamoDBDocumentClient, tableName: string): SuppressedAmong {
  return async (messages) => {
    const keys = messages.map(({ client_id, recipient }) => ({ client_id, recipient }));
    const isOneTimePassword = messages.some(({ otp }) => otp !== undefined);
    const rows = (await batchRead(client, tableName, keys)).map((row) => suppressionRow.parse(row));
    const suppressed = rows.filter((row) => isSuppression(row) && applies(row, isOneTimePassword));
    return new Set(suppressed.map(({ recipient }) => recipient));
  };
}
