/** The ids of the newest messages to a recipient, or with a client's reference, from the list indexes alone. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';

const indexRow = z.object({ message_id: z.string() });

export type NewestMessages = ReturnType<typeof dynamoNewestMessages>;

export function dynamoNewestMessages(client: DynamoDBDocumentClient, TableName: string) {
  async function newest(index: string, key: string, value: string, Limit: number): Promise<string[]> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: index,
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': key },
        ExpressionAttributeValues: { ':value': value },
        ScanIndexForward: false,
        Limit,
      }),
    );
    return Items.map((item) => indexRow.parse(item).message_id);
  }

  return {
    to: (recipient: string, limit: number) => newest('by-recipient', 'recipient', recipient, limit),
    withReference: (clientId: string, reference: string, limit: number) =>
      newest('by-reference', 'reference_key', `${clientId}#${reference}`, limit),
  };
}
