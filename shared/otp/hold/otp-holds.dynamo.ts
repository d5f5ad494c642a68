/** The table `otp-holds`. A row that a person made invalid holds nothing. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { scanRows } from '../../platform/aws/read-rows.dynamo.ts';
import { type OtpAllowance, type OtpHold, type OtpHoldState, otpHoldRow } from './otp-hold.ts';

export type OtpHoldStore = ReturnType<typeof dynamoOtpHolds>;

export function dynamoOtpHolds(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** The latest state. */
    async find(clientId: string, country: string): Promise<OtpHoldState | undefined> {
      const Key = { client_id: clientId, country };
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return statesIn([Item])[0];
    },

    /** The countries that are held for this client; may be a second old. */
    async heldCountries(clientId: string): Promise<readonly string[]> {
      const { Items } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'client_id = :client',
          ExpressionAttributeValues: { ':client': clientId },
        }),
      );
      return heldIn(Items).map(({ country }) => country);
    },

    async listHeld(): Promise<readonly OtpHold[]> {
      const held = heldIn(await Array.fromAsync(scanRows(client, { TableName })));
      return held.toSorted((one, other) => other.held_at.localeCompare(one.held_at));
    },

    /** False if the state is no longer the one that was seen, or passwords are held already. */
    async hold(hold: OtpHold, seen: OtpAllowance | undefined): Promise<boolean> {
      const { applied } = await conditionalPut(client, {
        TableName,
        Item: hold,
        ...(seen === undefined
          ? { ConditionExpression: 'attribute_not_exists(client_id)' }
          : {
              ConditionExpression: '#state = :allowed AND allowed_at = :seen',
              ExpressionAttributeNames: { '#state': 'state' },
              ExpressionAttributeValues: { ':allowed': 'allowed', ':seen': seen.allowed_at },
            }),
      });
      return applied;
    },

    async allow(allowance: OtpAllowance): Promise<void> {
      await client.send(new PutCommand({ TableName, Item: allowance }));
    },
  };
}

function statesIn(items: readonly unknown[] = []): OtpHoldState[] {
  return items.flatMap((item) => {
    const parsed = otpHoldRow.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}

function heldIn(items: readonly unknown[] | undefined): OtpHold[] {
  return statesIn(items).flatMap((state) => (state.state === 'held' ? [state] : []));
}
