/** The client of a run against a stage. It has test credentials only, so that no carrier is called, and is disabled at the end. */
import type { AdminContext } from '../../shared/admin/admin-context.ts';
import { createApiKey, revokeApiKey, rotateClientSecret } from '../../shared/admin/client-credentials.ts';
import { cancelScheduledMessage } from '../../shared/admin/find-messages.ts';
import { changePermissions, createClient, setClientDisabled } from '../../shared/admin/manage-clients.ts';
import { clientIdIn } from '../../shared/contract/mode.ts';

const actor = 'check';
/** Where the messages go. */
const country = 'GB';
const scheduledMax = 1000;

interface StageClient {
  /** The id of its test data. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

export async function withStageClient(
  dependencies: AdminContext,
  use: (client: StageClient) => Promise<void>,
): Promise<void> {
  const name = `Check ${dependencies.clock().toISOString()}`;
  const { client_id } = await createClient(dependencies, actor, {
    name,
    scopes: ['messages'],
    webhook_url: null,
  });
  const clientId = clientIdIn('test', client_id);
  try {
    await changePermissions(dependencies, actor, client_id, { countries: [country] });
    const { client_secret } = await rotateClientSecret(dependencies, actor, clientId, { overlap_hours: 0 });
    const { api_key, key_id } = await createApiKey(dependencies, actor, clientId);
    try {
      await use({ clientId, clientSecret: client_secret, apiKey: api_key });
    } finally {
      await revokeApiKey(dependencies, actor, clientId, key_id);
    }
  } finally {
    await setClientDisabled(dependencies, actor, client_id, true);
    // A check that failed may have left some.
    const { messages } = await dependencies.messages.search(
      { clientId },
      { limit: scheduledMax, direction: 'outbound', condition: { status: 'scheduled' } },
    );
    for (const { message_id } of messages) await cancelScheduledMessage(dependencies, actor, message_id);
  }
}
