/**
 * A client's operations on its own account: read it, set the webhook URL, rotate the webhook secret (contract, section 5).
 */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import type { Client } from '../client/client.ts';
import {
  noSuchClient,
  overlapText,
  rotateWebhookSecret,
  secretRotationBody,
} from '../client/client-admin.ts';
import { findClient, storeSmartEncoding, storeWebhookUrl } from '../client/client-store.dynamo.ts';
import { modeField, modeOf } from '../contract/mode.ts';
import { limitPolicies, policies } from '../contract/rate-limits-and-caps.ts';
import { limitsOf } from '../limit/overrides.ts';
import {
  type ApiResponse,
  type Operation,
  parseBody,
  parseOptionalBody,
  requireCaller,
} from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import type { AccountView } from './account-response.schema.ts';

/** The rate-limit policies that count a client's requests. */
const shownPolicies = limitPolicies.filter((name) => name !== 'admin');

export function getAccount(context: Context<'CLIENTS_TABLE' | 'LIMIT_OVERRIDES_TABLE'>): Operation {
  return async (request) => accountView(context, await ownClient(context, requireCaller(request)));
}

/** Returns the schema of the body of `PATCH /api/v1/account`: null removes a value, and an absent field keeps it. */
export function updateAccountSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    webhook_url: z.optional(z.nullable(webhookUrl)),
    smart_encoding: z.optional(z.nullable(z.boolean())),
  });
}

export function updateAccount(
  context: Context<'CLIENTS_TABLE' | 'LIMIT_OVERRIDES_TABLE' | 'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  webhookUrl: z.ZodMiniType<string>,
): Operation {
  const schema = updateAccountSchema(webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const { webhook_url, smart_encoding } = parseBody(schema, request);
    if (webhook_url !== undefined) await changeWebhookUrl(context, caller.clientId, webhook_url);
    const client = await ownClient(context, caller);
    if (smart_encoding === undefined) return accountView(context, client);
    await changeSmartEncoding(context, caller.clientId, client, smart_encoding === true);
    return accountView(context, await ownClient(context, caller));
  };
}

/** Sets whether typographic characters of the client's SMS are replaced by default. */
export async function changeSmartEncoding(
  context: Context<'CLIENTS_TABLE' | 'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  actor: string,
  { client_id: clientId, name, smart_encoding: before = false }: Client,
  after: boolean,
): Promise<void> {
  await recordActivity(context, actor, {
    kind: 'smart_encoding_changed',
    summary: `${actor} turned smart encoding of ${name} ${after ? 'on' : 'off'}`,
    clientId,
    before: { smart_encoding: before },
    after: { smart_encoding: after },
  });
  if (!(await storeSmartEncoding(context, clientId, after))) throw noSuchClient();
}

async function changeWebhookUrl(
  context: Context<'CLIENTS_TABLE' | 'LIMIT_OVERRIDES_TABLE' | 'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  clientId: string,
  webhookUrl: string | null,
): Promise<void> {
  const { webhook_url: before = null } = await ownClient(context, { clientId });
  const isSame = before === webhookUrl;
  // For test data, an unchanged URL is stored too: it may be the client's URL so far, and from now on the two are
  // independent.
  if (isSame && modeOf(clientId) === 'live') return;
  if (!isSame)
    await recordActivity(context, clientId, {
      kind: 'webhook_url_changed',
      summary: `${clientId} ${webhookUrl === null ? 'removed' : 'set'} its webhook URL`,
      clientId,
      before: { webhook_url: before },
      after: { webhook_url: webhookUrl },
    });
  if (!(await storeWebhookUrl(context, clientId, webhookUrl ?? undefined))) throw noSuchClient();
}

/**
 * Returns the new webhook secret, which no later response contains. The previous secret also signs during the overlap
 * (contract 7.5).
 */
export function rotateOwnWebhookSecret(
  dependencies: Parameters<typeof rotateWebhookSecret>[0] & Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const rotation = parseOptionalBody(secretRotationBody, request);
    const { clock } = dependencies;
    const summary = `${clientId} created a new webhook secret; ${overlapText('signs', rotation)}`;
    const rotated = await rotateWebhookSecret(dependencies, clientId, clock, rotation.overlap_hours, () =>
      recordActivity(dependencies, clientId, { kind: 'webhook_secret_rotated', summary, clientId }),
    );
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: {
        webhook_secret: rotated.secret,
        created_at: rotated.created_at,
        active_at: rotated.active_at,
        previous_secret_expires_at: rotated.previous_expires_at ?? null,
      },
    };
  };
}

async function ownClient(
  context: Context<'CLIENTS_TABLE'>,
  { clientId }: { readonly clientId: string },
): Promise<Client> {
  const client = await findClient(context, clientId);
  if (client === undefined) throw noSuchClient();
  return client;
}

async function accountView(
  context: Context<'CLIENTS_TABLE' | 'LIMIT_OVERRIDES_TABLE'>,
  client: Client,
): Promise<ApiResponse> {
  const limits: AccountView['limits'] = {};
  for (const name of shownPolicies) {
    const { perMinute, perHour, perDay } = await limitsOf(context, client.client_id, name);
    limits[policies[name].endpoint] = { per_minute: perMinute, per_hour: perHour, per_day: perDay };
  }
  const { client_id, name, webhook_url = null, smart_encoding = false } = client;
  const body: AccountView = {
    client_id,
    ...modeField(client_id),
    name,
    webhook_url,
    smart_encoding,
    limits,
  };
  return { status: 200, body };
}
