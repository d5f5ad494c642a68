/** Begins and ends the maintenance of the API: a row of `limit-overrides`, which every operation reads anyway. */
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { everyClient, maintenanceEndpoint } from '../contract/limits.ts';

const key = { client_id: everyClient, endpoint: maintenanceEndpoint };

export function dynamoMaintenance(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Returns whether it had begun before. */
    async begin(): Promise<boolean> {
      const Item = { ...key, note: 'Tables are being restored: npm run admin -- restore' };
      const { Attributes } = await client.send(new PutCommand({ TableName, Item, ReturnValues: 'ALL_OLD' }));
      return Attributes !== undefined;
    },

    async end(): Promise<void> {
      await client.send(new DeleteCommand({ TableName, Key: key }));
    },
  };
}
