/** Makes a test secret of the client of synthetic sends, and that client where the gateway has none yet. */
import { apiKeyScope } from '../client/client.ts';
import { type ClientAdminDependencies, rotateClientSecret } from '../client/client-admin.ts';
import { clientIdIn } from '../contract/mode.ts';
import { syntheticClientId } from '../contract/synthetic-client.ts';

/** The country of the recipient, in a list of the client's own: the countries of the stage may be others. */
const country = 'GB';

/** The secret before this one is no longer valid. What administrators changed of the client stays, such as `disabled`. */
export async function newSyntheticSecret(
  dependencies: Pick<ClientAdminDependencies, 'clients' | 'random'>,
  now: Date,
): Promise<string> {
  const testId = clientIdIn('test', syntheticClientId);
  if ((await dependencies.clients.find(testId)) === undefined)
    await dependencies.clients.create({
      client_id: syntheticClientId,
      name: 'Synthetic sends',
      scopes: [apiKeyScope],
      disabled: false,
      secrets: [],
      countries: [country],
      created_at: now.toISOString(),
    });
  return rotateClientSecret(dependencies, testId, now, 0);
}
