/** The table `sender-pace`. A row that nothing is reserved in any more is deleted by its TTL, a day later. */
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { readableRows } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds, secondsPerDay } from '../../platform/clock.ts';
import { endOf, noSlots, type SenderSlots, senderSlots } from './sender-pace.ts';

/** A client of DynamoDB writes no number above 2^53; only a person can have entered one. */
const revisionMax = 1e15;
const revision = z.number().check(z.minimum(-revisionMax), z.maximum(revisionMax));
const storedRow = z.object({ revision, slots: senderSlots });

/** One row for each sender with a pace: its reserved slots, with a revision that changes with each write; 0 if there is no row. */
export type SenderRow = Readonly<z.output<typeof storedRow>>;

export type SenderPaceStore = ReturnType<typeof dynamoSenderPaceStore>;

export function dynamoSenderPaceStore(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Strongly consistent. */
    async read(identity: string): Promise<SenderRow> {
      const sender = keyOf(identity);
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: { sender }, ConsistentRead: true }),
      );
      if (Item === undefined) return { slots: noSlots, revision: 0 };
      const [row] = readableRows(storedRow, [Item], 'sender');
      return (
        row ?? {
          slots: slotsOfUnreadable(Item.purge_at),
          revision: revision.safeParse(Item.revision).data ?? 0,
        }
      );
    },

    /** Writes if the revision is still the one seen; returns whether it was. */
    async replace(identity: string, seen: SenderRow, slots: SenderSlots): Promise<boolean> {
      const { applied } = await conditionalPut(client, {
        TableName,
        Item: {
          sender: keyOf(identity),
          revision: seen.revision + 1,
          slots,
          purge_at: epochSeconds(addDays(new Date(endOf(slots)), 1)),
        },
        ...(seen.revision === 0
          ? {
              ConditionExpression:
                'NOT attribute_type(revision, :number) OR revision = :seen OR NOT revision BETWEEN :least AND :most',
              ExpressionAttributeValues: {
                ':number': 'N',
                ':seen': 0,
                ':least': -revisionMax,
                ':most': revisionMax,
              },
            }
          : {
              ConditionExpression: 'revision = :seen',
              ExpressionAttributeValues: { ':seen': seen.revision },
            }),
      });
      return applied;
    },
  };
}

/**
 * A row that a person made unreadable is replaced by the next reservation. `purge_at` says when its last slot was: bulk messages
 * reserve behind it, so that none gets a place of one that waits.
 */
function slotsOfUnreadable(purgeAt: unknown): SenderSlots {
  if (typeof purgeAt !== 'number') return noSlots;
  return {
    ...noSlots,
    next: { bulk: { startMs: (Math.ceil(purgeAt) - secondsPerDay + 1) * 1000, place: 0 } },
  };
}

/** Names are one sender whatever their case, with one pace. */
function keyOf(identity: string): string {
  return identity.toLowerCase();
}
