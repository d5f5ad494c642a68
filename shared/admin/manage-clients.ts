/** An administrator's operations on clients: each change is in the activity log, each new secret is shown once. */
import * as z from 'zod/mini';
import { changeSmartEncoding as setSmartEncoding } from '../account/own-account.ts';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import { type ApiKey, type Client, inMode, isLive } from '../client/client.ts';
import * as clientAdmin from '../client/client-admin.ts';
import { apiKeysOf, clientsPage, storePermissions, storeWebhookUrl } from '../client/client-store.dynamo.ts';
import { placeSchema, senderSchema } from '../contract/phone-number.ts';
import { scopes } from '../contract/routes.ts';
import { invalidCursor, opaqueCursor } from '../operation/list-query.ts';
import { inOneLine } from '../platform/visible-text.ts';
import type { AdminContext } from './admin-context.ts';
import { readClients, requireClient, requireSettingsOwner } from './find-client.ts';
import { cursor, pageSize, textUpTo } from './request-fields.ts';

function clientView(client: Client, now: Date) {
  return {
    client_id: client.client_id,
    name: client.name,
    scopes: client.scopes,
    disabled: client.disabled,
    webhook_url: client.webhook_url ?? null,
    smart_encoding: client.smart_encoding ?? false,
    created_at: client.created_at,
    /** The live clients, newest first. */
    secrets: client.secrets
      .filter((secret) => isLive(secret, now))
      .map(({ created_at, expires_at }) => ({ created_at, expires_at: expires_at ?? null })),
    countries: client.countries ?? null,
    senders: client.senders ?? null,
  };
}

export function apiKeyView({ key_id, client_id, created_at, revoked_at }: ApiKey) {
  return { key_id, client_id, created_at, revoked_at: revoked_at ?? null };
}

const name = z.pipe(
  z.string().check(z.trim()),
  textUpTo(100).check(
    z.refine((text) => inOneLine(text) === text, 'must not have invisible or control characters'),
  ),
);

export function newClientBody({ webhookUrl }: { readonly webhookUrl: z.ZodMiniType<string> }) {
  return z.object({
    name,
    scopes: z._default(z.array(z.enum(scopes)).check(z.minLength(1)), ['messages']),
    webhook_url: z.optional(z.nullable(webhookUrl)),
  });
}

/** An empty list would allow nothing, but it looks as if everything were allowed. */
const oneAtLeast = z.minLength(1, 'must name one at least; null allows all');
const permissions = {
  countries: z.optional(
    z.nullable(z.array(placeSchema).check(oneAtLeast, z.maxLength(250, 'must name 250 countries or fewer'))),
  ),
  senders: z.optional(
    z.nullable(z.array(senderSchema).check(oneAtLeast, z.maxLength(100, 'must name 100 senders or fewer'))),
  ),
};

export function clientChangeBody({ webhookUrl }: { readonly webhookUrl: z.ZodMiniType<string> }) {
  return z.object({
    disabled: z.optional(z.boolean()),
    webhook_url: z.optional(z.nullable(webhookUrl)),
    smart_encoding: z.optional(z.nullable(z.boolean())),
    ...permissions,
  });
}

export async function createClient(
  ctx: AdminContext,
  actor: string,
  { name, scopes, webhook_url }: z.output<ReturnType<typeof newClientBody>>,
) {
  const now = ctx.clock();
  // Copies the current list of the stage, so that a later change of the stage does not allow more countries to this client.
  const countries = scopes.includes('messages') ? ctx.stageCountries : undefined;
  const wanted = { name, scopes, countries, ...(webhook_url == null ? {} : { webhookUrl: webhook_url }) };
  const record = ({ client_id: clientId }: Client) =>
    recordActivity(ctx, actor, {
      kind: 'client_created',
      summary: `${actor} created the client ${name}`,
      clientId,
      after: {
        name,
        scopes,
        webhook_url: webhook_url ?? null,
        countries,
      },
    });
  const made = await clientAdmin.createClient(ctx, wanted, now, record);
  const { client, clientSecret, webhookSecret } = made;
  return { ...clientView(client, now), client_secret: clientSecret, webhook_secret: webhookSecret };
}

export const clientsQuery = z.object({
  limit: pageSize,
  cursor,
  sort: z.optional(z.enum(['name', 'created_at'])),
  descending: z.optional(z.enum(['true', 'false'])),
});

const clientCursor = opaqueCursor(/^.{1,128}$/su);

/**
 * If there are at most this many clients, all are read and sorted by name for each page, because no index contains the
 * names. If there are more, the list is in the order of the table.
 */
const sortedMax = 1000;

export async function listClients(
  ctx: AdminContext,
  { limit, cursor: given, sort = 'name', descending }: z.output<typeof clientsQuery>,
) {
  const viewOf = (client: Client) => clientView(inMode(client, ctx.mode), ctx.clock());
  const after = clientCursor.decode(given);
  const all = await readClients(ctx, sortedMax);
  if (all.more) {
    const page = await clientsPage(ctx, { limit, after });
    return { clients: page.clients.map(viewOf), total: undefined, ...clientCursor.next(page.next) };
  }
  const direction = descending === 'true' ? -1 : 1;
  const sorted = all.clients.toSorted(
    (one, other) =>
      direction * one[sort].localeCompare(other[sort]) || one.client_id.localeCompare(other.client_id),
  );
  const start = after === undefined ? 0 : sorted.findIndex(({ client_id }) => client_id === after) + 1;
  if (after !== undefined && start === 0) throw invalidCursor();
  const clients = sorted.slice(start, start + limit);
  const last = clients.at(-1);
  return {
    clients: clients.map(viewOf),
    /** The number of all clients; absent if there are too many to sort. */
    total: sorted.length,
    ...clientCursor.next(start + limit >= sorted.length ? undefined : last?.client_id),
  };
}

/** Shows a client with its keys. @throws GatewayError `not_found` */
export async function showClient(ctx: AdminContext, clientId: string) {
  const client = await requireClient(ctx, clientId);
  const keys = await apiKeysOf(ctx, clientId);
  return { ...clientView(client, ctx.clock()), api_keys: keys.map(apiKeyView) };
}

export async function setClientDisabled(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  disabled: boolean,
): Promise<void> {
  const client = await requireSettingsOwner(ctx, clientId);
  if (client.disabled === disabled) return;
  await recordActivity(ctx, actor, {
    kind: disabled ? 'client_disabled' : 'client_enabled',
    summary: `${actor} ${disabled ? 'disabled' : 'enabled'} the client ${client.name}`,
    clientId,
    before: { disabled: client.disabled },
    after: { disabled },
  });
  await clientAdmin.setClientDisabled(ctx, clientId, disabled);
}

/** Sets the URL; null removes it. */
export async function changeWebhookUrl(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  webhookUrl: string | null,
): Promise<void> {
  const client = await requireSettingsOwner(ctx, clientId);
  await recordActivity(ctx, actor, {
    kind: 'webhook_url_changed',
    summary: `${actor} ${webhookUrl === null ? 'removed' : 'set'} the webhook URL of ${client.name}`,
    clientId,
    before: { webhook_url: client.webhook_url ?? null },
    after: { webhook_url: webhookUrl },
  });
  if (!(await storeWebhookUrl(ctx, clientId, webhookUrl ?? undefined))) throw clientAdmin.noSuchClient();
}

/** Sets whether typographic characters of the client's SMS are replaced by default. Null means false. */
export async function changeSmartEncoding(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  smartEncoding: boolean | null,
): Promise<void> {
  const client = await requireSettingsOwner(ctx, clientId);
  await setSmartEncoding(ctx, actor, client, smartEncoding === true);
}

/** Sets the countries and senders that the client may use, within 60 s. Null allows all. */
export async function changePermissions(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  {
    countries,
    senders,
  }: {
    readonly countries?: readonly string[] | null | undefined;
    readonly senders?: readonly string[] | null | undefined;
  },
): Promise<void> {
  const client = await requireSettingsOwner(ctx, clientId);
  const change = {
    ...(countries === undefined ? {} : { countries: withoutDoubles(countries) }),
    ...(senders === undefined ? {} : { senders: withoutDoubles(senders) }),
  };
  if (Object.keys(change).length === 0) return;
  await recordActivity(ctx, actor, {
    kind: 'permissions_changed',
    summary: `${actor} changed the countries and senders of ${client.name}`,
    clientId,
    before: { countries: client.countries ?? null, senders: client.senders ?? null },
    after: { countries: client.countries ?? null, senders: client.senders ?? null, ...change },
  });
  if (!(await storePermissions(ctx, clientId, change))) throw clientAdmin.noSuchClient();
}

const withoutDoubles = (list: readonly string[] | null): readonly string[] | null =>
  list === null ? null : [...new Set(list)];
