/** The messages with a person, by the index that has both directions and all clients. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { listPosition } from '../store/message-rows.dynamo.ts';
import type { MessageStore } from '../store/message-store.ts';
import type { Conversations } from './find-owner.ts';

const indexRow = z.object({ message_id: z.string() });

export function dynamoConversations(
  client: DynamoDBDocumentClient,
  TableName: string,
  messages: Pick<MessageStore, 'getMany'>,
): Conversations {
  return {
    async newestWith(person, limit, before) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: 'by-recipient',
          KeyConditionExpression:
            before === undefined ? 'recipient = :person' : 'recipient = :person AND list_at < :before',
          ExpressionAttributeValues: {
            ':person': person,
            ...(before === undefined ? {} : { ':before': before }),
          },
          ScanIndexForward: false,
          Limit: limit,
        }),
      );
      const ids = Items.map((item) => indexRow.parse(item).message_id);
      // The read is eventually consistent: the person cannot reply to a hand-over of this moment.
      const found = await messages.getMany(ids, { consistent: false });
      return found.toSorted((one, other) => (listPosition(one) < listPosition(other) ? 1 : -1));
    },
  };
}
