/**
 * The tables of clients and API keys, with the cache for authentication. Each change of a client is one conditional write,
 * which returns false if the client does not exist.
 */
import { isDeepStrictEqual } from 'node:util';
import { GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { modeOf, settingsIdOf } from '../contract/mode.ts';
import {
  conditionalPut,
  conditionalUpdate,
  setOrRemove,
  updateIf,
} from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead, queryRows, readableRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
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

/** The attributes for each mode. A client has only one row, although its test data has its own id. */
const attributesIn = {
  live: { secrets: 'secrets', webhookUrl: 'webhook_url', smartEncoding: 'smart_encoding' },
  test: { secrets: 'test_secrets', webhookUrl: 'test_webhook_url', smartEncoding: 'test_smart_encoding' },
} as const;

/** Reads a client with a consistent read. A text that cannot be a client id is not looked up. */
export async function findClient(
  { db, env }: Context<'CLIENTS_TABLE'>,
  clientId: string,
): Promise<Client | undefined> {
  if (!isClientId(clientId)) return undefined;
  const Key = { client_id: settingsIdOf(clientId) };
  const client = await readRow(db, clientRow, { TableName: env.CLIENTS_TABLE, Key, ConsistentRead: true });
  return client && inMode(client, modeOf(clientId));
}

/** @throws Error if a client with this id exists. */
export async function storeClient({ db, env }: Context<'CLIENTS_TABLE'>, client: Client): Promise<void> {
  const creating = await conditionalPut(db, {
    TableName: env.CLIENTS_TABLE,
    Item: client,
    ConditionExpression: 'attribute_not_exists(client_id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  // After a lost response, the SDK repeats the write. The secret is unique, so a row that contains it was written by this
  // call.
  const isOwn = creating.applied || isDeepStrictEqual(creating.row?.secrets, client.secrets);
  if (!isOwn) throw new Error('the id of a new client is taken');
}

/** If an administrator disables or enables a client, a restore no longer holds it. */
export function storeDisabled(
  ctx: Context<'CLIENTS_TABLE'>,
  clientId: string,
  disabled: boolean,
): Promise<boolean> {
  return update(ctx, clientId, { disabled, held: undefined });
}

/** Sets the webhook URL; `undefined` removes it. Test data without its own URL uses the client's. */
export function storeWebhookUrl(
  ctx: Context<'CLIENTS_TABLE'>,
  clientId: string,
  webhookUrl: string | undefined,
): Promise<boolean> {
  const mode = modeOf(clientId);
  const url = mode === 'test' ? (webhookUrl ?? null) : webhookUrl;
  return update(ctx, clientId, { [attributesIn[mode].webhookUrl]: url });
}

/** Sets whether typographic characters of the client's SMS are replaced by default. */
export function storeSmartEncoding(
  ctx: Context<'CLIENTS_TABLE'>,
  clientId: string,
  smartEncoding: boolean,
): Promise<boolean> {
  return update(ctx, clientId, { [attributesIn[modeOf(clientId)].smartEncoding]: smartEncoding });
}

/** Sets the lists. `null` removes a list, so that all countries or senders are allowed. An absent list is not changed. */
export function storePermissions(
  ctx: Context<'CLIENTS_TABLE'>,
  clientId: string,
  change: {
    readonly countries?: readonly string[] | null | undefined;
    readonly senders?: readonly string[] | null | undefined;
  },
): Promise<boolean> {
  const lists = Object.entries(change).filter(([, list]) => list !== undefined);
  return update(ctx, clientId, Object.fromEntries(lists.map(([name, list]) => [name, list ?? undefined])));
}

/** Returns false if the client does not exist. */
async function update(
  { db, env }: Context<'CLIENTS_TABLE'>,
  clientId: string,
  change: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const row = { TableName: env.CLIENTS_TABLE, Key: { client_id: settingsIdOf(clientId) } };
  const ConditionExpression = 'attribute_exists(client_id)';
  return (await conditionalUpdate(db, { ...row, ...setOrRemove(change), ConditionExpression })).applied;
}

/** Returns false if another writer has changed the secrets since `before` was read. */
export async function replaceClientSecrets(
  { db, env }: Context<'CLIENTS_TABLE'>,
  clientId: string,
  before: readonly ClientSecret[],
  after: readonly ClientSecret[],
): Promise<boolean> {
  const { secrets } = attributesIn[modeOf(clientId)];
  const row = { TableName: env.CLIENTS_TABLE, Key: { client_id: settingsIdOf(clientId) } };
  // Before the first test secret, the attribute is absent.
  const seen = { ...row.Key, [secrets]: before.length > 0 ? before : undefined };
  return (await updateIf(db, row, seen, { [secrets]: after })).applied;
}

/**
 * Scans the table one page at a time. A scan is enough, because only administrators list clients.
 *
 * @param after - the `next` of the previous page
 */
export async function clientsPage(
  { db, env }: Context<'CLIENTS_TABLE'>,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
) {
  const { Items = [], LastEvaluatedKey } = await db.send(
    new ScanCommand({
      TableName: env.CLIENTS_TABLE,
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : { client_id: after },
    }),
  );
  const next: unknown = LastEvaluatedKey?.client_id;
  return {
    clients: readableRows(clientRow, Items, 'client_id'),
    next: typeof next === 'string' ? next : undefined,
  };
}

const disabledClients = oncePerContext(({ db, env, clock }: Context<'CLIENTS_TABLE'>) =>
  cachedRead(
    async (clientId) => {
      const { Item } = await db.send(
        new GetCommand({
          TableName: env.CLIENTS_TABLE,
          Key: { client_id: settingsIdOf(clientId) },
          ProjectionExpression: 'disabled',
        }),
      );
      return { disabled: Item?.disabled === true };
    },
    accessCache,
    clock,
  ),
);

/** Returns true if a client is disabled. The result may be 45 s old. */
export async function isClientDisabled(ctx: Context<'CLIENTS_TABLE'>, clientId: string): Promise<boolean> {
  return (await disabledClients(ctx)(clientId))?.disabled === true;
}

const knownClients = oncePerContext((_ctx: Context<'CLIENTS_TABLE'>) => new Set<string>());

/** Returns which ids belong to clients. Clients are never deleted, so a found id is not read again. */
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
export async function accountUrlOf(
  ctx: Context<'CLIENTS_TABLE'>,
  clientId: string,
): Promise<string | undefined> {
  return (await findClient(ctx, clientId))?.webhook_url;
}

/** The primary key of the table is the hash of the API key. */
export function findApiKey(
  { db, env }: Context<'API_KEYS_TABLE'>,
  keyHash: string,
): Promise<ApiKey | undefined> {
  const Key = { key_hash: keyHash };
  return readRow(db, apiKeyRow, { TableName: env.API_KEYS_TABLE, Key, ConsistentRead: true });
}

/** The write needs no condition: the key is the hash of the API key, so an existing row comes from a repeated write. */
export async function storeApiKey({ db, env }: Context<'API_KEYS_TABLE'>, key: ApiKey): Promise<void> {
  await db.send(new PutCommand({ TableName: env.API_KEYS_TABLE, Item: key }));
}

/** Returns the client's API keys, newest first. */
export async function apiKeysOf(
  { db, env }: Context<'API_KEYS_TABLE'>,
  clientId: string,
): Promise<readonly ApiKey[]> {
  const rows = queryRows(db, {
    TableName: env.API_KEYS_TABLE,
    IndexName: 'by-client',
    KeyConditionExpression: 'client_id = :client_id',
    ExpressionAttributeValues: { ':client_id': clientId },
    ScanIndexForward: false,
  });
  return readableRows(apiKeyRow, await Array.fromAsync(rows), 'key_id');
}

export async function storeRevocation(
  { db, env }: Context<'API_KEYS_TABLE'>,
  keyHash: string,
  at: Date,
): Promise<void> {
  await db.send(
    new UpdateCommand({
      TableName: env.API_KEYS_TABLE,
      Key: { key_hash: keyHash },
      // A repeated revocation keeps the first time.
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at) REMOVE held',
      ConditionExpression: 'attribute_exists(key_hash)',
      ExpressionAttributeValues: { ':at': at.toISOString() },
    }),
  );
}
