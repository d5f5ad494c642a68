/**
 * The tables of clients and API keys, and the cache for authentication. Each change of a client is one conditional
 * write, which returns false if there is no such client.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { modeOf, settingsIdOf } from '../contract/mode.ts';
import {
  conditionalPut,
  conditionalUpdate,
  setOrRemove,
  updateIf,
} from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead, queryRows, readableRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import {
  type ApiKey,
  apiKeyRow,
  type Client,
  type ClientSecret,
  clientRow,
  inMode,
  isClientId,
} from './client.ts';

export type ClientStore = ReturnType<typeof dynamoClientStore>;

/** The attributes of each mode. A client has one row, although its test data has its own id. */
const attributesIn = {
  live: { secrets: 'secrets', webhookUrl: 'webhook_url' },
  test: { secrets: 'test_secrets', webhookUrl: 'test_webhook_url' },
} as const;

export function dynamoClientStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  const rowOf = (clientId: string) => ({ TableName, Key: { client_id: settingsIdOf(clientId) } });

  async function update(clientId: string, change: Readonly<Record<string, unknown>>): Promise<boolean> {
    const ConditionExpression = 'attribute_exists(client_id)';
    const input = { ...rowOf(clientId), ...setOrRemove(change), ConditionExpression };
    return (await conditionalUpdate(dynamo, input)).applied;
  }

  return {
    /** Reads a client consistently. A text that cannot be a client id is not looked up. */
    async find(clientId: string): Promise<Client | undefined> {
      if (!isClientId(clientId)) return undefined;
      const Key = { client_id: settingsIdOf(clientId) };
      const client = await readRow(dynamo, clientRow, { TableName, Key, ConsistentRead: true });
      return client && inMode(client, modeOf(clientId));
    },
    /** @throws Error if the id is taken. */
    async create(client: Client): Promise<void> {
      const creating = await conditionalPut(dynamo, {
        TableName,
        Item: client,
        ConditionExpression: 'attribute_not_exists(client_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      // The SDK retries a write whose response was lost. The secret is unique to this client, so the row is its
      // own.
      const isOwn = creating.applied || isDeepStrictEqual(creating.row?.secrets, client.secrets);
      if (!isOwn) throw new Error('the id of a new client is taken');
    },
    setDisabled: (clientId: string, disabled: boolean): Promise<boolean> =>
      // An administrator's decision overrides the hold of a restore.
      update(clientId, { disabled, held: undefined }),
    /** Sets the URL; `undefined` removes it. Test data without its own URL uses the client's. */
    setWebhookUrl: (clientId: string, webhookUrl: string | undefined): Promise<boolean> => {
      const mode = modeOf(clientId);
      const url = mode === 'test' ? (webhookUrl ?? null) : webhookUrl;
      return update(clientId, { [attributesIn[mode].webhookUrl]: url });
    },
    /** Sets the lists. `null` removes a list, which allows everything; an absent list is not changed. */
    setPermissions: (
      clientId: string,
      change: {
        readonly countries?: readonly string[] | null | undefined;
        readonly senders?: readonly string[] | null | undefined;
      },
    ): Promise<boolean> => {
      const lists = Object.entries(change).filter(([, list]) => list !== undefined);
      return update(clientId, Object.fromEntries(lists.map(([name, list]) => [name, list ?? undefined])));
    },
    /** Returns false if the secrets are no longer `before`, because another writer changed them. */
    replaceSecrets: async (
      clientId: string,
      before: readonly ClientSecret[],
      after: readonly ClientSecret[],
    ): Promise<boolean> => {
      const { secrets } = attributesIn[modeOf(clientId)];
      const row = rowOf(clientId);
      // The attribute is absent before the first test secret.
      const seen = { ...row.Key, [secrets]: before.length > 0 ? before : undefined };
      return (await updateIf(dynamo, row, seen, { [secrets]: after })).applied;
    },
    /** Scans the table one page at a time: only administrators list clients. */
    async list({
      limit,
      after,
    }: {
      readonly limit: number;
      /** The `next` of the page before. */
      readonly after?: string | undefined;
    }) {
      const { Items = [], LastEvaluatedKey } = await dynamo.send(
        new ScanCommand({
          TableName,
          Limit: limit,
          ExclusiveStartKey: after === undefined ? undefined : { client_id: after },
        }),
      );
      const next: unknown = LastEvaluatedKey?.client_id;
      return {
        clients: readableRows(clientRow, Items, 'client_id'),
        next: typeof next === 'string' ? next : undefined,
      };
    },
  };
}

/** Returns true if a client is disabled; at most 45 s old. */
export function disabledClients(client: DynamoDBDocumentClient, TableName: string, clock: Clock) {
  const known = cachedRead(read, accessCache, clock);

  async function read(clientId: string): Promise<{ readonly disabled: boolean }> {
    const { Item } = await client.send(
      new GetCommand({
        TableName,
        Key: { client_id: settingsIdOf(clientId) },
        ProjectionExpression: 'disabled',
      }),
    );
    return { disabled: Item?.disabled === true };
  }

  return async (clientId: string): Promise<boolean> => (await known(clientId))?.disabled === true;
}

const knownClients = oncePerContext((_ctx: Context<'CLIENTS_TABLE'>) => new Set<string>());

/** Returns which ids belong to clients. Clients are never deleted, so an id that was found is not read again. */
export async function existingClients(
  ctx: Context<'CLIENTS_TABLE'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = knownClients(ctx);
  const keys = ids.filter((id) => isClientId(id) && !known.has(id)).map((client_id) => ({ client_id }));
  const rows = await batchRead(ctx.db, ctx.env.CLIENTS_TABLE, keys, { ProjectionExpression: 'client_id' });
  for (const { client_id } of rows) known.add(String(client_id));
  return known;
}

/** Returns the current webhook URL of a client's account (contract 7.1). */
export function accountUrls(clients: ClientStore) {
  return async (clientId: string): Promise<string | undefined> => (await clients.find(clientId))?.webhook_url;
}

export type ApiKeyStore = ReturnType<typeof dynamoApiKeyStore>;

/** Reads and writes API keys. The primary key of the table is the hash of the API key. */
export function dynamoApiKeyStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    find: (keyHash: string): Promise<ApiKey | undefined> =>
      readRow(dynamo, apiKeyRow, { TableName, Key: { key_hash: keyHash }, ConsistentRead: true }),
    /**
     * Writes without a condition, because the SDK retries a write whose response was lost: a row with this hash is
     * this key.
     */
    async create(key: ApiKey): Promise<void> {
      await dynamo.send(new PutCommand({ TableName, Item: key }));
    },
    /** Returns the client's keys, newest first. */
    async listOf(clientId: string): Promise<readonly ApiKey[]> {
      const rows = queryRows(dynamo, {
        TableName,
        IndexName: 'by-client',
        KeyConditionExpression: 'client_id = :client_id',
        ExpressionAttributeValues: { ':client_id': clientId },
        ScanIndexForward: false,
      });
      return readableRows(apiKeyRow, await Array.fromAsync(rows), 'key_id');
    },
    async revoke(keyHash: string, at: Date): Promise<void> {
      await dynamo.send(
        new UpdateCommand({
          TableName,
          Key: { key_hash: keyHash },
          // A repeated revocation keeps the time of the first.
          UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at) REMOVE held',
          ConditionExpression: 'attribute_exists(key_hash)',
          ExpressionAttributeValues: { ':at': at.toISOString() },
        }),
      );
    },
  };
}
