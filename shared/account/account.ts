/** What a client sees and changes of its own account: its webhook URL, and its webhook secret (contract, section 5). */
import * as z from 'zod/mini';
import { type ApiResponse, type Caller, type Operation, parseBody, requireCaller } from '../api.ts';
import type { Client } from '../client/client.ts';
import { type ClientAdminParts, noSuchClient, rotateWebhookSecret } from '../client/client-admin.ts';
import type { ClientStore } from '../client/client-store.ts';
import type { Clock } from '../clock.ts';
import type { LimitReader } from '../rate-limit/overrides.ts';
import { type PolicyName, policies } from '../routes.ts';

interface AccountDependencies {
  readonly clients: Pick<ClientStore, 'find' | 'setWebhookUrl'>;
  readonly limitsOf: LimitReader;
}

/** The policies that a client's own requests count on. */
const shownPolicies = (Object.keys(policies) as PolicyName[]).filter(
  (name) => name !== 'admin' && name !== 'unmatched',
);

export function getAccount(deps: AccountDependencies): Operation {
  return async (request) => accountView(deps, await ownClient(deps, requireCaller(request)));
}

/** The request body of `PATCH /api/v1/account`: null removes the URL, an absent field leaves it. */
export function updateAccountSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({ webhook_url: z.optional(z.nullable(webhookUrl)) });
}

export function updateAccount(deps: AccountDependencies, webhookUrl: z.ZodMiniType<string>): Operation {
  const schema = updateAccountSchema(webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const { webhook_url } = parseBody(schema, request.body);
    if (webhook_url !== undefined) {
      const known = await deps.clients.setWebhookUrl(caller.clientId, webhook_url ?? undefined);
      if (!known) throw noSuchClient();
    }
    return accountView(deps, await ownClient(deps, caller));
  };
}

/** Shows a new webhook secret once, and from when it signs; the one before signs 24 h longer (contract, section 7). */
export function rotateOwnWebhookSecret(
  parts: Pick<ClientAdminParts, 'clients' | 'webhookSecrets' | 'random'>,
  clock: Clock,
): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const rotated = await rotateWebhookSecret(parts, clientId, clock);
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

async function ownClient(deps: AccountDependencies, caller: Caller): Promise<Client> {
  const client = await deps.clients.find(caller.clientId);
  if (client === undefined) throw noSuchClient();
  return client;
}

async function accountView(deps: AccountDependencies, client: Client): Promise<ApiResponse> {
  const limits: Record<string, unknown> = {};
  for (const name of shownPolicies) {
    const { perMinute, perHour, perDay } = await deps.limitsOf(client.client_id, name);
    limits[policies[name].endpoint] = { per_minute: perMinute, per_hour: perHour, per_day: perDay };
  }
  const { client_id, name, webhook_url = null } = client;
  return { status: 200, body: { client_id, name, webhook_url, limits } };
}
