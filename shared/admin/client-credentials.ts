/** An administrator's operations on the secrets and API keys of clients: each change is in the activity log, each new secret is shown once. */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import * as clientAdmin from '../client/client-admin.ts';
import { overlapText, type SecretRotation, secretRotationBody } from '../client/client-admin.ts';
import type { AdminContext } from './admin-context.ts';
import { requireClient } from './find-client.ts';
import { apiKeyView } from './manage-clients.ts';

/** The optional body of a request that creates a credential. `test` creates a credential for the client's test data. */
export const newKeyBody = z.object({ test: z._default(z.boolean(), false) });
export const newSecretBody = z.extend(secretRotationBody, newKeyBody.shape);

/** Rotates the client secret. The previous secret stays valid during the overlap. */
export async function rotateClientSecret(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  rotation: SecretRotation,
) {
  const now = ctx.clock();
  const summary = `${actor} made a new client secret; ${overlapText('is valid', rotation)}`;
  const secret = await clientAdmin.rotateClientSecret(ctx, clientId, now, rotation.overlap_hours, () =>
    recordActivity(ctx, actor, { kind: 'client_secret_rotated', summary, clientId }),
  );
  return { client_id: clientId, client_secret: secret };
}

/**
 * Ends the previous secret after a leak, or after a rotation is complete. Tokens that were issued for the previous secret
 * are valid until they expire.
 */
export async function endPreviousSecret(ctx: AdminContext, actor: string, clientId: string): Promise<void> {
  const client = await requireClient(ctx, clientId);
  if (client.secrets.length < 2) return;
  const summary = `${actor} ended the previous client secret`;
  await recordActivity(ctx, actor, { kind: 'client_secret_ended', summary, clientId });
  await clientAdmin.endPreviousSecret(ctx, clientId);
}

/**
 * Issues a new webhook secret. Until the new secret is active, only the previous secret signs; then both sign during the
 * overlap.
 */
export async function rotateWebhookSecret(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  rotation: SecretRotation,
) {
  const summary = `${actor} made a new webhook secret; ${overlapText('signs', rotation)}`;
  const rotated = await clientAdmin.rotateWebhookSecret(
    ctx,
    clientId,
    ctx.clock,
    rotation.overlap_hours,
    () => recordActivity(ctx, actor, { kind: 'webhook_secret_rotated', summary, clientId }),
  );
  return {
    client_id: clientId,
    webhook_secret: rotated.secret,
    // The time from which the new secret signs.
    active_at: rotated.active_at,
    previous_secret_expires_at: rotated.previous_expires_at ?? null,
  };
}

export async function createApiKey(ctx: AdminContext, actor: string, clientId: string) {
  const now = ctx.clock();
  const { apiKey, row } = await clientAdmin.createApiKey(ctx, clientId, now, ({ key_id }) =>
    recordActivity(ctx, actor, {
      kind: 'api_key_created',
      summary: `${actor} made the API key ${key_id}`,
      clientId,
      after: { key_id },
    }),
  );
  return { api_key: apiKey, ...apiKeyView(row) };
}

export async function revokeApiKey(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  keyId: string,
): Promise<void> {
  await requireClient(ctx, clientId);
  await clientAdmin.revokeApiKey(ctx, clientId, keyId, ctx.clock(), () =>
    recordActivity(ctx, actor, {
      kind: 'api_key_revoked',
      summary: `${actor} revoked the API key ${keyId}`,
      clientId,
      before: { key_id: keyId, revoked: false },
      after: { key_id: keyId, revoked: true },
    }),
  );
}
