/** The clients table. Each change is one conditional write; its result is false if there is no such client. */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { conditionHolds } from '../platform/aws/conditional-write.dynamo.ts';
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
  const update = (clientId: string, input: Omit<UpdateCommandInput, 'TableName' | 'Key'>): Promise<boolean> =>
    conditionHolds(dynamo.send(new UpdateCommand({ TableName, Key: { client_id: clientId }, ...input })));

  return {
    /** A consistent read. A text that cannot be a client's id is not looked up. */
    async find(clientId: string): Promise<Client | undefined> {
      if (!isClientId(clientId)) return undefined;
      const { Item } = await dynamo.send(
        new GetCommand({ TableName, Key: { client_id: clientId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : clientRow.parse(Item);
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
      update(clientId, {
        UpdateExpression: 'SET disabled = :disabled',
        ConditionExpression: 'attribute_exists(client_id)',
        ExpressionAttributeValues: { ':disabled': disabled },
      }),
    /** `undefined` removes the URL. */
    setWebhookUrl: (clientId: string, webhookUrl: string | undefined): Promise<boolean> =>
      update(clientId, {
        UpdateExpression: webhookUrl === undefined ? 'REMOVE webhook_url' : 'SET webhook_url = :webhook_url',
        ConditionExpression: 'attribute_exists(client_id)',
        ...(webhookUrl === undefined ? {} : { ExpressionAttributeValues: { ':webhook_url': webhookUrl } }),
      }),
    /** `null` removes a list, which allows everything; an absent list is not changed. */
    setPermissions: (clientId: string, change: PermissionChange): Promise<boolean> => {
      const entries = Object.entries(change).filter(([, list]) => list !== undefined);
      const set = entries.filter(([, list]) => list !== null);
      const removed = entries.filter(([, list]) => list === null);
      const clause = (verb: string, parts: readonly string[]) =>
        parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`];
      return update(clientId, {
        UpdateExpression: [
          ...clause(
            'SET',
            set.map(([name]) => `${name} = :${name}`),
          ),
          ...clause(
            'REMOVE',
            removed.map(([name]) => name),
          ),
        ].join(' '),
        ConditionExpression: 'attribute_exists(client_id)',
        ...(set.length === 0
          ? {}
          : { ExpressionAttributeValues: Object.fromEntries(set.map(([name, list]) => [`:${name}`, list])) }),
      });
    },
    /** False if the secrets are no longer `before`, because another writer changed them. */
    replaceSecrets: (
      clientId: string,
      before: readonly ClientSecret[],
      after: readonly ClientSecret[],
    ): Promise<boolean> =>
      update(clientId, {
        UpdateExpression: 'SET secrets = :after',
        ConditionExpression: 'secrets = :before',
        ExpressionAttributeValues: { ':before': before, ':after': after },
      }),
    /** A scan, one page at a time: only administrators list clients. */
    async list({ limit, after }: ListOptions): Promise<ClientPage> {
      const { Items = [], LastEvaluatedKey } = await dynamo.send(
        new ScanCommand({
          TableName,
          Limit: limit,
          ...(after === undefined ? {} : { ExclusiveStartKey: { client_id: after } }),
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
