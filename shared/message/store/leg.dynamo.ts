/** Stores a further leg of a send in one transaction with the check that no earlier leg is delivered. */
import { type AttributeValue, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Message, undeliveredStatuses } from '../message.ts';
import { isOwn, messageRowOf, parseMessageRow } from './message-row.ts';
import type { LegCreated } from './message-store.ts';

const conditionFailed = 'ConditionalCheckFailed';
const names = undeliveredStatuses.map((_, index) => `:status${index}`);
const values = Object.fromEntries(undeliveredStatuses.map((status, index) => [`:status${index}`, status]));

/** @throws when another write holds one of the rows at this moment, and for any other fault: it may be repeated. */
export async function createLeg(
  client: DynamoDBDocumentClient,
  { tableName: TableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
  leg: Message,
  earlierLegIds: readonly string[],
): Promise<LegCreated> {
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName,
              Item: messageRowOf(leg, retentionDays),
              ConditionExpression: 'attribute_not_exists(message_id)',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          ...earlierLegIds.map((message_id) => ({
            ConditionCheck: {
              TableName,
              Key: { message_id },
              ConditionExpression: `#status IN (${names.join(', ')})`,
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: values,
            },
          })),
        ],
      }),
    );
    return 'created';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [put, ...checks] = error.CancellationReasons ?? [];
    if (put?.Code === conditionFailed) return isFirstWriter(leg, put.Item) ? 'created' : 'exists';
    if (checks.some(({ Code }) => Code === conditionFailed)) return 'sequence_ended';
    throw error;
  }
}

function isFirstWriter(leg: Message, item: unknown): boolean {
  return (
    item !== undefined && isOwn(leg, parseMessageRow(unmarshall(item as Record<string, AttributeValue>)))
  );
}
