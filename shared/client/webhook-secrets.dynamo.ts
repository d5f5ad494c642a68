/** The client-secrets table, with the secrets that sign webhooks: few functions may read it, fewer may replace them. */
import * as z from 'zod/mini';
import { modeOf, settingsIdOf } from '../contract/mode.ts';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { cachedRead } from '../platform/expiring-cache.ts';
import { secretsCache, type WebhookSecret, webhookSecret } from './webhook-secrets.ts';

const secretList = z._default(z.array(webhookSecret), []);
/** Parses the list of the client and the lists of endpoints one by one, so that a malformed list affects no other. */
const secretsRow = z.object({
  webhook_secrets: z.optional(z.unknown()),
  endpoint_secrets: z.optional(z.unknown()),
});
const listsOfEndpoints = z._default(z.record(z.string(), z.unknown()), {});

/**
 * Returns the secrets, newest first; may include expired ones.
 *
 * @param endpointId - one of the client's endpoints; if absent, the account's secrets
 */
export async function readWebhookSecrets(
  context: Context<'CLIENT_SECRETS_TABLE'>,
  clientId: string,
  endpointId?: string,
): Promise<readonly WebhookSecret[]> {
  const TableName = context.env.CLIENT_SECRETS_TABLE;
  const key = { TableName, Key: { client_id: clientId }, ConsistentRead: true };
  const row = await readRow(context.db, secretsRow, key);
  const secrets =
    endpointId === undefined
      ? row?.webhook_secrets
      : listsOfEndpoints.parse(row?.endpoint_secrets)[endpointId];
  // Test webhooks are signed as live ones until a test key makes a secret.
  const isOfAccount = endpointId === undefined && modeOf(clientId) === 'test';
  if (secrets === undefined && isOfAccount) return readWebhookSecrets(context, settingsIdOf(clientId));
  return secretList.parse(secrets);
}

/** Reads the secrets once for many webhooks of one client. If there are none, the next call reads them again. */
export async function cachedWebhookSecrets(
  context: Context<'CLIENT_SECRETS_TABLE'>,
  clientId: string,
  endpointId = '',
): Promise<readonly WebhookSecret[]> {
  return (await cacheOf(context)(`${clientId}#${endpointId}`)) ?? [];
}

const cacheOf = oncePerContext((context: Context<'CLIENT_SECRETS_TABLE'>) =>
  cachedRead(
    async (key) => {
      const [clientId = '', endpointId] = key.split('#');
      const found = await readWebhookSecrets(context, clientId, endpointId || undefined);
      return found.length === 0 ? undefined : found;
    },
    secretsCache,
    context.clock,
  ),
);

/** Replaces the secrets; false if they are no longer `before`, because another writer changed them. */
export async function replaceWebhookSecrets(
  { db, env }: Context<'CLIENT_SECRETS_TABLE'>,
  clientId: string,
  before: readonly WebhookSecret[],
  after: readonly WebhookSecret[],
  endpointId?: string,
): Promise<boolean> {
  const list = endpointId === undefined ? 'webhook_secrets' : 'endpoint_secrets.#endpoint';
  // Test data uses the client's secrets until it has its own. A deleted endpoint must not get secrets again.
  const mayBeAbsent = endpointId === undefined && (before.length === 0 || modeOf(clientId) === 'test');
  const { applied } = await conditionalUpdate(db, {
    TableName: env.CLIENT_SECRETS_TABLE,
    Key: { client_id: clientId },
    UpdateExpression: `SET ${list} = :after`,
    ConditionExpression: mayBeAbsent
      ? `attribute_not_exists(${list}) OR ${list} = :before`
      : `${list} = :before`,
    ExpressionAttributeValues: { ':before': before, ':after': after },
    ExpressionAttributeNames: endpointId === undefined ? undefined : { '#endpoint': endpointId },
  });
  return applied;
}
