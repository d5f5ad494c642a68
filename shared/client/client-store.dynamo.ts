/** The clients table. Each change is one conditional write; its result is false if there is no such client. */
import {
  type DynamoDBDocumentClient,
  PutCommand,
  ScanCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { setOrRemove } from '../platform/aws/update-expression.dynamo.ts';
import { type Client, type ClientSecret, clientRow, isClientId } from './client.ts';

export interface PermissionChange {
  readonly countries?: readonly string[] | null | undefined;
  readonly senders?: readonly string[] | null | undefined;
}

interface ListOptions {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface ClientPage {
  readonly clients: readonly Client[];
  readonly next?: string | undefined;
}

export type ClientStore = ReturnType<typeof dynamoClientStore>;

export function dynamoClientStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  async function update(
    clientId: string,
    input: Omit<UpdateCommandInput, 'TableName' | 'Key' | 'ConditionExpression'>,
    ConditionExpression = 'attribute_exists(client_id)',
  ): Promise<boolean> {
    const Key = { client_id: clientId };
    const { applied } = await conditionalUpdate(dynamo, { TableName, Key, ...input, ConditionExpression });
    return applied;
  }

  return {
    /** A consistent read. A text that cannot be a client's id is not looked up. */
    async find(clientId: string): Promise<Client | undefined> {
      if (!isClientId(clientId)) return undefined;
      return readRow(dynamo, clientRow, { TableName, Key: { client_id: clientId }, ConsistentRead: true });
    },
    /** @throws Error if the id is taken. */
    async create(client: Client): Promise<void> {
      await dynamo.send(
        new PutCommand({
          TableName,
          Item: client,
          ConditionExpression: 'attribute_not_exists(client_id)',
        }),
      );
    },
    setDisabled: (clientId: string, disabled: boolean): Promise<boolean> =>
      update(clientId, setOrRemove({ disabled })),
    /** `undefined` removes the URL. */
    setWebhookUrl: (clientId: string, webhookUrl: string | undefined): Promise<boolean> =>
      update(clientId, setOrRemove({ webhook_url: webhookUrl })),
    /** `null` removes a list, which allows everything; an absent list is not changed. */
    setPermissions: (clientId: string, change: PermissionChange): Promise<boolean> => {
      const lists = Object.entries(change).filter(([, list]) => list !== undefined);
      return update(
        clientId,
        setOrRemove(Object.fromEntries(lists.map(([name, list]) => [name, list ?? undefined]))),
      );
    },
    /** False if the secrets are no longer `before`, because another writer changed them. */
    replaceSecrets: (
      clientId: string,
      before: readonly ClientSecret[],
      after: readonly ClientSecret[],
    ): Promise<boolean> => {
      const values = { ':before': before, ':after': after };
      const input = { UpdateExpression: 'SET secrets = :after', ExpressionAttributeValues: values };
      return update(clientId, input, 'secrets = :before');
    },
    /** A scan, one page at a time: only administrators list clients. */
    async list({ limit, after }: ListOptions): Promise<ClientPage> {
      const { Items = [], LastEvaluatedKey } = await dynamo.send(
        new ScanCommand({
          TableName,
          Limit: limit,
          ExclusiveStartKey: after === undefined ? undefined : { client_id: after },
        }),
      );
      const next: unknown = LastEvaluatedKey?.client_id;
      return {
        clients: Items.map((item) => clientRow.parse(item)),
        next: typeof next === 'string' ? next : undefined,
      };
    },
  };
}
