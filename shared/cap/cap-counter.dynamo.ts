/**
 * Takes from all caps of a client with one conditional write, without a read: exact under any concurrency. A call that the
 * SDK repeats after a lost response takes once more, and never beyond a cap.
 */
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import type { CapCounter, TakeOutcome } from './cap-counter.ts';

export function dynamoCapCounter(client: DynamoDBDocumentClient, TableName: string): CapCounter {
  return {
    async take({ counter, amounts, limits, endedAttributes, purgeAt }) {
      const added = Object.entries(amounts);
      const limited = Object.entries(limits).map(([attribute, limit], index) => {
        const room = limit - (amounts[attribute] ?? 0);
        const fits = `${attribute} <= :room${index}`;
        // An absent attribute is 0, which is too much where the request alone exceeds the limit.
        const condition = room < 0 ? fits : `(attribute_not_exists(${attribute}) OR ${fits})`;
        return { condition, value: [`:room${index}`, room] as const };
      });
      const remove = endedAttributes.length === 0 ? '' : ` REMOVE ${endedAttributes.join(', ')}`;
      const taking = await conditionalUpdate(client, {
        TableName,
        Key: { counter },
        UpdateExpression: `ADD ${added.map(([attribute], index) => `${attribute} :amount${index}`).join(', ')} SET purge_at = :purge_at${remove}`,
        ConditionExpression: limited.map(({ condition }) => condition).join(' AND '),
        ExpressionAttributeValues: {
          ...Object.fromEntries(added.map(([, amount], index) => [`:amount${index}`, amount])),
          ...Object.fromEntries(limited.map(({ value }) => value)),
          ':purge_at': purgeAt,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return outcome(taking.applied, taking.applied ? taking.response.Attributes : taking.row);
    },

    async giveBack({ counter, amounts, givenBack, id }) {
      const added = Object.entries(amounts);
      await conditionalUpdate(client, {
        TableName,
        Key: { counter },
        UpdateExpression: `ADD ${added.map(([attribute], index) => `${attribute} :amount${index}`).join(', ')}, ${givenBack} :ids`,
        ConditionExpression: `attribute_exists(purge_at) AND NOT contains(${givenBack}, :id)`,
        ExpressionAttributeValues: {
          ...Object.fromEntries(added.map(([, amount], index) => [`:amount${index}`, -amount])),
          ':ids': new Set([id]),
          ':id': id,
        },
      });
    },

    async raise(counter, attribute, value, purgeAt) {
      const { applied } = await conditionalUpdate(client, {
        TableName,
        Key: { counter },
        UpdateExpression: `SET ${attribute} = :value, purge_at = :purge_at`,
        ConditionExpression: `attribute_not_exists(${attribute}) OR ${attribute} < :value`,
        ExpressionAttributeValues: { ':value': value, ':purge_at': purgeAt },
      });
      return applied;
    },

    async read(counter) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: { counter }, ConsistentRead: true }),
      );
      return outcome(false, Item).row;
    },
  };
}

function outcome(taken: boolean, row: Readonly<Record<string, unknown>> = {}): TakeOutcome {
  const numbers = Object.entries(row).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return { taken, row: Object.fromEntries(numbers), attributes: Object.keys(row) };
}
