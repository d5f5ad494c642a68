/**
 * Creates clients and API keys, and rotates their secrets. A new secret is shown only once. The previous secret stays valid
 * for 24 h, or for the time that the rotation sets.
 */
import * as z from 'zod/mini';
import { errorTexts, GatewayError, standardError } from '../contract/errors.ts';
import { modeOf } from '../contract/mode.ts';
import type { Scope } from '../contract/routes.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { lazily } from '../platform/expiring-cache.ts';
import { retry, retryConflicts } from '../platform/retry.ts';
import {
  type ApiKey,
  apiKeyScope,
  type Client,
  type ClientSecret,
  isLive,
  newApiKey,
  newApiKeyId,
  newClientId,
  newClientSecret,
  newWebhookSecret,
  secretHash,
} from './client.ts';
import {
  apiKeysOf,
  findClient,
  replaceClientSecrets,
  storeApiKey,
  storeClient,
  storeDisabled,
  storeRevocation,
} from './client-store.dynamo.ts';
import {
  readWebhookSecrets,
  replaceWebhookSecrets,
  secretActiveAfterSeconds,
  type WebhookSecret,
} from './webhook-secrets.dynamo.ts';

/** How many hours the previous secret of a client or of webhooks stays valid after the newest one takes effect. */
export const previousSecretHours = 24;
/** The maximum that a rotation can request. 0 is for use after a leak. */
export const previousSecretHoursMax = 168;
const overlapHours = z.int().check(z.minimum(0), z.maximum(previousSecretHoursMax));

/** Null means the same as an absent field. */
export const secretRotationBody = z.object({
  overlap_hours: z.optional(
    z.pipe(
      z.nullish(overlapHours),
      z.transform((hours) => hours ?? undefined),
    ),
  ),
});

export type SecretRotation = z.output<typeof secretRotationBody>;

export function overlapText(stays: string, { overlap_hours = previousSecretHours }: SecretRotation): string {
  return overlap_hours === 0
    ? 'no older one has an overlap'
    : `the previous one ${stays} for ${overlap_hours} h more`;
}

/** The newest secret, and the previous secret until its overlap ends (contract 2.6 and 7.6). */
const secretsMax = 2;

/** Called just before an allowed change is written, to write its Activity Log entry. If it throws, nothing is changed. */
type BeforeChange<Change extends readonly unknown[] = []> = (...change: Change) => Promise<void>;

const unrecorded = async (): Promise<void> => {};

/** Stores the webhook secret first, so that every existing client has one. */
export async function createClient(
  dependencies: Context<'CLIENTS_TABLE' | 'CLIENT_SECRETS_TABLE'> & {
    readonly random: (size: number) => Buffer;
  },
  wanted: {
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly webhookUrl?: string;
    /** The only countries to which the client may send; by default, the countries of the stage. */
    readonly countries?: readonly string[] | undefined;
  },
  now: Date,
  beforeChange: BeforeChange<[Client]> = unrecorded,
) {
  const createdAt = now.toISOString();
  const clientId = newClientId(dependencies.random);
  const clientSecret = newClientSecret(dependencies.random, 'live');
  const webhookSecret = newWebhookSecret(dependencies.random);
  const client: Client = {
    client_id: clientId,
    name: wanted.name,
    scopes: [...wanted.scopes],
    disabled: false,
    secrets: [{ hash: secretHash(clientSecret), created_at: createdAt }],
    created_at: createdAt,
    webhook_url: wanted.webhookUrl,
    countries: wanted.countries && [...wanted.countries],
  };
  await beforeChange(client);
  await replaceWebhookSecrets(
    dependencies,
    clientId,
    [],
    [{ secret: webhookSecret, created_at: createdAt, active_at: createdAt }],
  );
  await storeClient(dependencies, client);
  return { client, clientSecret, webhookSecret };
}

/** Disabling takes effect within 60 s, even for tokens that were already issued (contract 3.2). */
export async function setClientDisabled(
  dependencies: Context<'CLIENTS_TABLE'>,
  clientId: string,
  disabled: boolean,
): Promise<void> {
  if (!(await storeDisabled(dependencies, clientId, disabled))) throw noSuchClient();
}

/**
 * Rotates the client secret. The previous secret stays valid for the overlap. With an overlap of 0, all older secrets
 * become invalid. @throws GatewayError `secret_limit_reached` if two secrets are still valid
 */
export async function rotateClientSecret(
  dependencies: Context<'CLIENTS_TABLE'> & { readonly random: (size: number) => Buffer },
  clientId: string,
  now: Date,
  overlapHours = previousSecretHours,
  beforeChange: BeforeChange = unrecorded,
): Promise<string> {
  const recorded = lazily(beforeChange);
  const clientSecret = newClientSecret(dependencies.random, modeOf(clientId));
  const created: ClientSecret = { hash: secretHash(clientSecret), created_at: now.toISOString() };
  return retryConflicts(async () => {
    const client = await findClient(dependencies, clientId);
    if (client === undefined) throw noSuchClient();
    if (modeOf(clientId) === 'test') assertOpensMessages(client, 'A test secret');
    const live = overlapHours === 0 ? [] : client.secrets.filter((secret) => isLive(secret, now));
    if (overlapHours > 0) assertRoomForSecret(live);
    const end = addSeconds(now, overlapHours * 3600).toISOString();
    const secrets = [created, ...live.map((previous) => ({ expires_at: end, ...previous }))];
    await recorded();
    return (await replaceClientSecrets(dependencies, clientId, client.secrets, secrets)) && clientSecret;
  });
}

/** Revokes every client secret but the newest, within 60 s. */
export async function endPreviousSecret(
  dependencies: Context<'CLIENTS_TABLE'>,
  clientId: string,
): Promise<void> {
  await retryConflicts(async () => {
    const { secrets } = (await findClient(dependencies, clientId)) ?? { secrets: [] };
    return secrets.length < 2 || replaceClientSecrets(dependencies, clientId, secrets, secrets.slice(0, 1));
  });
}

/** Issues a new webhook secret of the account. */
export async function rotateWebhookSecret(
  dependencies: Context<'CLIENTS_TABLE' | 'CLIENT_SECRETS_TABLE'> & {
    readonly random: (size: number) => Buffer;
  },
  clientId: string,
  clock: Clock,
  overlapHours?: number,
  beforeChange?: BeforeChange,
): Promise<ReturnType<typeof rotated>> {
  if ((await findClient(dependencies, clientId)) === undefined) throw noSuchClient();
  return issueWebhookSecret(dependencies, clientId, undefined, clock, overlapHours, beforeChange);
}

/**
 * Issues a new webhook secret. Until the new secret is active, only the old ones sign. Then all of them sign for the
 * overlap (contract 7.5).
 *
 * @param endpointId - the endpoint; undefined for the account's secret
 * @throws GatewayError `not_found` if the endpoint has no secret, because the endpoint does not exist
 */
export async function issueWebhookSecret(
  dependencies: Context<'CLIENT_SECRETS_TABLE'> & { readonly random: (size: number) => Buffer },
  clientId: string,
  endpointId: string | undefined,
  clock: Clock,
  overlapHours?: number,
  beforeChange: BeforeChange = unrecorded,
): Promise<ReturnType<typeof rotated>> {
  const recorded = lazily(beforeChange);
  const secret = newWebhookSecret(dependencies.random);
  return retryConflicts(async () => {
    const before = await readWebhookSecrets(dependencies, clientId, endpointId);
    // If a response is lost, the SDK's retry fails its condition, although the first write was applied.
    const own = before.findIndex((one) => one.secret === secret);
    if (own >= 0) return rotated(before.slice(own));
    // If the rotation is not allowed, this throws before an entry is written.
    withNewWebhookSecret(secret, before, clock(), overlapHours);
    await recorded();
    // Each attempt reads the clock again, because workers have 60 s from the time of the write to read the secret.
    const after = withNewWebhookSecret(secret, before, clock(), overlapHours);
    if (await replaceWebhookSecrets(dependencies, clientId, before, after, endpointId)) return rotated(after);
    if (endpointId !== undefined && before.length === 0) throw standardError('not_found');
    return false;
  });
}

function rotated([newest, previous]: readonly WebhookSecret[]) {
  if (newest === undefined) throw new Error('a rotation leaves at least one secret');
  const { secret, created_at, active_at = created_at } = newest;
  // Absent if the client had no previous secret.
  return { secret, created_at, active_at, previous_expires_at: previous?.expires_at };
}

export async function createApiKey(
  dependencies: Context<'CLIENTS_TABLE' | 'API_KEYS_TABLE'> & { readonly random: (size: number) => Buffer },
  clientId: string,
  now: Date,
  beforeChange: BeforeChange<[ApiKey]> = unrecorded,
): Promise<{ readonly apiKey: string; readonly row: ApiKey }> {
  const client = await findClient(dependencies, clientId);
  if (client === undefined) throw noSuchClient();
  assertOpensMessages(client, 'An API key');
  const apiKey = newApiKey(dependencies.random, modeOf(clientId));
  const row: ApiKey = {
    key_hash: secretHash(apiKey),
    key_id: newApiKeyId(dependencies.random),
    client_id: clientId,
    created_at: now.toISOString(),
  };
  await beforeChange(row);
  await storeApiKey(dependencies, row);
  return { apiKey, row };
}

function assertOpensMessages(client: Client, what: string): void {
  if (client.scopes.includes(apiKeyScope)) return;
  throw new GatewayError(
    'invalid_request',
    `${what} opens the messages API only, and this client does not have the scope messages. Administrators sign in with their client secret.`,
  );
}

/** Revokes an API key. A key that is already revoked does not change. @throws GatewayError `not_found` */
export async function revokeApiKey(
  ctx: Context<'API_KEYS_TABLE'>,
  clientId: string,
  keyId: string,
  now: Date,
  beforeChange: BeforeChange = unrecorded,
): Promise<void> {
  // The index that finds keys contains a new key only shortly after its creation.
  const key = await retry({ delaysMs: [200, 400, 800] }, async () => {
    const found = (await apiKeysOf(ctx, clientId)).find((row) => row.key_id === keyId);
    if (found === undefined) throw new GatewayError('not_found', 'This client has no API key with this id.');
    return found;
  });
  if (key.revoked_at !== undefined && key.held !== true) return;
  await beforeChange();
  await storeRevocation(ctx, key.key_hash, now);
}

/**
 * Returns the list with the new secret first. After the new secret is active, the previous one still signs for the overlap.
 * With an overlap of 0 hours, all older secrets end at that time.
 *
 * @throws GatewayError `secret_limit_reached` if two secrets are active and the rotation has an overlap
 */
export function withNewWebhookSecret(
  secret: string,
  before: readonly WebhookSecret[],
  now: Date,
  overlapHours = previousSecretHours,
): readonly WebhookSecret[] {
  const created_at = now.toISOString();
  const live = before.filter((one) => isLive(one, now));
  // The new secret signs immediately if no other secret can sign.
  if (live.length === 0) return [{ secret, created_at, active_at: created_at }];
  if (overlapHours > 0) assertRoomForSecret(live);
  const activeAt = addSeconds(now, secretActiveAfterSeconds);
  const end = addSeconds(activeAt, overlapHours * 3600).toISOString();
  const ending = live.map((one) => ({
    ...one,
    expires_at: one.expires_at !== undefined && one.expires_at < end ? one.expires_at : end,
  }));
  return [{ secret, created_at, active_at: activeAt.toISOString() }, ...ending];
}

/** Refuses a third secret, because no issued secret may end early for a new one. */
function assertRoomForSecret(live: readonly { readonly expires_at?: string | undefined }[]): void {
  if (live.length < secretsMax) return;
  const [endsAt = ''] = live.flatMap(({ expires_at }) => expires_at ?? []).toSorted();
  throw new GatewayError('secret_limit_reached', errorTexts.secret_limit_reached(endsAt));
}

export function noSuchClient(): GatewayError {
  return new GatewayError('not_found', 'There is no such client.');
}
