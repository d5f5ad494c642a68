/**
 * The client-secrets table contains the secrets that sign webhooks of an account or an endpoint: one, or two during an
 * overlap. Few functions may read the table, and fewer may write it.
 */
import * as z from 'zod/mini';
import { modeOf, settingsIdOf } from '../contract/mode.ts';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { cachedRead } from '../platform/expiring-cache.ts';
import { isLive } from './client.ts';

const instant = z.iso.datetime();

export const webhookSecret = z.object({
  /** `whsec_` and base64. The whole text is the key for `X-Webhook-Signature`. */
  secret: z.string().check(z.minLength(1)),
  created_at: instant,
  /** When the secret starts to sign; if absent, at its creation. */
  active_at: z.optional(instant),
  expires_at: z.optional(instant),
});

export type WebhookSecret = Readonly<z.output<typeof webhookSecret>>;

/** How long a worker signs with the secrets that it has read. */
const secretsCache = { maxAgeSeconds: 30, maxEntries: 5000 };

/**
 * The time between a secret's creation and its first signature (contract 7.6: at most 60 s). By then every worker has read
 * the new secret, so all of them start to use it at the same moment. Half of this time covers the cache
 * (`secretsCache.maxAgeSeconds`). The rest covers clock differences, the write of the secret, and the claim between reading
 * and signing (13 s each, with all SDK retries).
 */
export const secretActiveAfterSeconds = 60;

const secretList = z._default(z.array(webhookSecret), []);
/** The lists of the client and of its endpoints are parsed one by one, so that a malformed list affects no other. */
const secretsRow = z.object({
  webhook_secrets: z.optional(z.unknown()),
  endpoint_secrets: z.optional(z.unknown()),
});
const listsOfEndpoints = z._default(z.record(z.string(), z.unknown()), {});

/**
 * Returns the secrets, newest first. They may include expired ones.
 *
 * @param endpointId - one of the client's endpoints; if absent, the account's secrets are read
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
  // Test webhooks are signed with the live secrets until a test key creates its own secret.
  const isOfAccount = endpointId === undefined && modeOf(clientId) === 'test';
  if (secrets === undefined && isOfAccount) return readWebhookSecrets(context, settingsIdOf(clientId));
  return secretList.parse(secrets);
}

/** Reads the secrets once for many webhooks of a client. If it finds none, the next call reads again. */
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

/** Replaces the secrets. Returns false if another writer has changed them since `before` was read. */
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

/**
 * Returns the secrets that sign now, newest first: active and not expired. If none is active, a pending secret signs early,
 * because no webhook is sent unsigned.
 */
export function signingSecrets(secrets: readonly WebhookSecret[], at: Date): readonly WebhookSecret[] {
  const live = secrets
    .filter((secret) => isLive(secret, at))
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  const active = live.filter(({ active_at }) => active_at === undefined || new Date(active_at) <= at);
  return active.length > 0 ? active : live.slice(-1);
}
