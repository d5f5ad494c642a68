/** An administrator's operations on the secrets and API keys of clients: each change is in the activity log, each new secret is shown once. */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import * as clientAdmin from '../client/client-admin.ts';
import { overlapText, type SecretRotation, secretRotationBody } from '../client/client-admin.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { type ApiKeyView, apiKeyView } from './clients.ts';
import { requireClient } from './find-client.ts';

/** The optional body of a request that creates a credential. `test` creates a credential for the client's test data. */
export const newKeyBody = z.object({ test: z._default(z.boolean(), false) });
export const newSecretBody = z.extend(secretRotationBody, newKeyBody.shape);

/** Rotates the client secret. The previous secret stays valid for the overlap. */
export async function rotateClientSecret(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  rotation: SecretRotation,
): Promise<{ readonly client_id: string; readonly client_secret: string }> {
  const now = dependencies.clock();
  const summary = `${actor} made a new client secret; ${overlapText('is valid', rotation)}`;
  const secret = await clientAdmin.rotateClientSecret(
    dependencies,
    clientId,
    now,
    rotation.overlap_hours,
    () => recordActivity(dependencies, actor, { kind: 'client_secret_rotated', summary, clientId }),
  );
  return { client_id: clientId, client_secret: secret };
}

/**
 * Ends the previous secret after a leak, or after a rotation is complete. Tokens that were issued for it are valid
 * until they expire.
 */
export async function endPreviousSecret(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
): Promise<void> {
  const client = await requireClient(dependencies, clientId);
  if (client.secrets.length < 2) return;
  const summary = `${actor} ended the previous client secret`;
  await recordActivity(dependencies, actor, { kind: 'client_secret_ended', summary, clientId });
  await clientAdmin.endPreviousSecret(dependencies, clientId);
}

/** Issues a new webhook secret. Only the previous secret signs until the new one is active; then both sign for the overlap. */
export async function rotateWebhookSecret(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  rotation: SecretRotation,
) {
  const summary = `${actor} made a new webhook secret; ${overlapText('signs', rotation)}`;
  const rotated = await clientAdmin.rotateWebhookSecret(
    dependencies,
    clientId,
    dependencies.clock,
    rotation.overlap_hours,
    () => recordActivity(dependencies, actor, { kind: 'webhook_secret_rotated', summary, clientId }),
  );
  return {
    client_id: clientId,
    webhook_secret: rotated.secret,
    // The time from which it signs.
    active_at: rotated.active_at,
    previous_secret_expires_at: rotated.previous_expires_at ?? null,
  };
}

export async function createApiKey(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
): Promise<ApiKeyView & { readonly api_key: string }> {
  const now = dependencies.clock();
  const { apiKey, row } = await clientAdmin.createApiKey(dependencies, clientId, now, ({ key_id }) =>
    recordActivity(dependencies, actor, {
      kind: 'api_key_created',
      summary: `${actor} made the API key ${key_id}`,
      clientId,
      after: { key_id },
    }),
  );
  return { api_key: apiKey, ...apiKeyView(row) };
}

export async function listApiKeys(
  dependencies: AdminDependencies,
  clientId: string,
): Promise<readonly ApiKeyView[]> {
  await requireClient(dependencies, clientId);
  return (await dependencies.apiKeys.listOf(clientId)).map(apiKeyView);
}

export async function revokeApiKey(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  keyId: string,
): Promise<void> {
  await requireClient(dependencies, clientId);
  await clientAdmin.revokeApiKey(dependencies, clientId, keyId, dependencies.clock(), () =>
    recordActivity(dependencies, actor, {
      kind: 'api_key_revoked',
      summary: `${actor} revoked the API key ${keyId}`,
      clientId,
      before: { key_id: keyId, revoked: false },
      after: { key_id: keyId, revoked: true },
    }),
  );
}
