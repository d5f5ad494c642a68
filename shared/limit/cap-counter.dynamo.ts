/**
 * Takes from all caps of a client with one conditional write, without a read: exact under any concurrency. A call that the
 * SDK repeats after a lost response takes once more, and never beyond a cap.
 */
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';

/** One row for each client and month, with the amounts that were taken in each window: integers only. */
type Amounts = Readonly<Record<string, number>>;

/** A row as it is read; `countIn` reads a count of it. */
export type CountedRow = Readonly<Record<string, unknown>>;

interface Take {
  /** The row's key. */
  readonly counter: string;
  /** The amounts to add, by attribute. */
  readonly amounts: Amounts;
  /** The most that an attribute may have afterwards. Attributes without a limit are only counted. */
  readonly limits: Amounts;
  /** Attributes of ended windows to remove in the same write. */
  readonly endedAttributes: readonly string[];
  /** Seconds since the epoch. */
  readonly purgeAt: number;
}

export type CapCounter = ReturnType<typeof dynamoCapCounter>;

export function dynamoCapCounter(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Adds every amount, or none. Returns the row as it is afterwards, or, if nothing was taken, as the condition saw it. */
    async take(take: Take): Promise<{ readonly taken: boolean; readonly row: CountedRow }> {
      const taking = await update(take);
      const row = taking.applied ? taking.response.Attributes : taking.row;
      return { taken: taking.applied, row: row ?? {} };
    },

    /** Writes a mark beside the counts. */
    async mark(counter: string, attribute: string, value: number, purgeAt: number): Promise<void> {
      await client.send(
        new UpdateCommand({
          TableName,
          Key: { counter },
          UpdateExpression: `SET ${attribute} = :value, purge_at = :purge_at`,
          ExpressionAttributeValues: { ':value': value, ':purge_at': purgeAt },
        }),
      );
    },

    /** Returns an empty object if there is no row. */
    async read(counter: string): Promise<CountedRow> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: { counter }, ConsistentRead: true }),
      );
      return Item ?? {};
    },
  };

  function update({ counter, amounts, limits, endedAttributes, purgeAt }: Take) {
    const added = Object.entries(amounts);
    const limited = Object.entries(limits).map(([attribute, limit], index) => {
      const room = limit - (amounts[attribute] ?? 0);
      const fits = `${attribute} <= :room${index}`;
      // An absent attribute counts as 0, but even then the request must not exceed the limit by itself.
      const condition = room < 0 ? fits : `(attribute_not_exists(${attribute}) OR ${fits})`;
      return { condition, value: [`:room${index}`, room] as const };
    });
    const remove = endedAttributes.length === 0 ? '' : ` REMOVE ${endedAttributes.join(', ')}`;
    return conditionalUpdate(client, {
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
  }
}
