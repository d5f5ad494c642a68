/**
 * What is known of receivers, as rows of the deliveries table named `receiver#<client>#<origin>` and
 * `probe#<client>#<slot>`; they go by TTL at the latest.
 */
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { epochSeconds } from '../clock.ts';
import { attempted, whereItFits } from '../conditional.dynamo.ts';
import type { Receiver, ReceiverStore } from './receiver-health.ts';

const receiverRow = z.object({
  standing: z.enum(['quick', 'slow']),
  known_until: z.iso.datetime(),
  leisurely: z.optional(z.boolean()),
});
const probeRow = z.object({ taken_since: z.iso.datetime() });

export function dynamoReceiverStore(client: DynamoDBDocumentClient, tableName: string): ReceiverStore {
  const receiverKey = (of: Receiver) => ({ delivery_id: `receiver#${of.clientId}#${of.origin}` });
  const slotKey = (slot: string) => ({ delivery_id: `probe#${slot}` });
  const lasting = (until: Date) => ({ known_until: until.toISOString(), purge_at: epochSeconds(until) });

  return {
    async read(receiver) {
      // Half the price of a consistent read, and a few milliseconds behind at most times: workers remember it for longer.
      const answer = await client.send(new GetCommand({ TableName: tableName, Key: receiverKey(receiver) }));
      if (answer.Item === undefined) return undefined;
      const { standing, known_until, leisurely = false } = receiverRow.parse(answer.Item);
      const until = new Date(known_until);
      return standing === 'quick' ? { standing, until, leisurely } : { standing, until };
    },

    async setSlow(receiver, hungAt, until) {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: {
            ...receiverKey(receiver),
            standing: 'slow',
            hung_at: hungAt.toISOString(),
            ...lasting(until),
          },
        }),
      );
    },

    async setHesitating(receiver, now, until) {
      await whereItFits(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...receiverKey(receiver), standing: 'slow', ...lasting(until) },
            ConditionExpression: 'attribute_not_exists(hung_at) OR known_until <= :now',
            ExpressionAttributeValues: { ':now': now.toISOString() },
          }),
        ),
      );
    },

    async setQuick(receiver, until, leisurely, unlessHungSince) {
      return whereItFits(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...receiverKey(receiver), standing: 'quick', leisurely, ...lasting(until) },
            ConditionExpression: 'attribute_not_exists(hung_at) OR hung_at <= :limit',
            ExpressionAttributeValues: { ':limit': unlessHungSince.toISOString() },
          }),
        ),
      );
    },

    async takeSlot(slot, holder, now, until) {
      const taking = await attempted(
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...slotKey(slot), holder, taken_since: now.toISOString(), ...lasting(until) },
            ConditionExpression: 'attribute_not_exists(holder) OR holder = :holder OR known_until <= :now',
            ExpressionAttributeValues: { ':holder': holder, ':now': now.toISOString() },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (taking.made) return undefined;
      return new Date(taking.row === undefined ? now : probeRow.parse(taking.row).taken_since);
    },

    async freeSlot(slot, holder) {
      // False where its time was over and another took it.
      await whereItFits(
        client.send(
          new DeleteCommand({
            TableName: tableName,
            Key: slotKey(slot),
            ConditionExpression: 'holder = :holder',
            ExpressionAttributeValues: { ':holder': holder },
          }),
        ),
      );
    },
  };
}
