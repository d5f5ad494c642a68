/** The clients of a new local gateway: one to try the API, one to administer it. */
import { type ClientAdminDependencies, createApiKey, createClient } from './client-admin.ts';

/** The local gateway prints them in this form (contract, section 9). */
export interface DemoClients {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly webhook_secret: string;
  readonly admin: { readonly client_id: string; readonly client_secret: string };
}

export async function createDemoClients(
  dependencies: ClientAdminDependencies,
  now: Date,
): Promise<DemoClients> {
  const demo = await createClient(dependencies, { name: 'Demo', scopes: ['messages'] }, now);
  const { apiKey } = await createApiKey(dependencies, demo.client.client_id, now);
  const admin = await createClient(dependencies, { name: 'Demo admin', scopes: ['admin'] }, now);
  return {
    client_id: demo.client.client_id,
    client_secret: demo.clientSecret,
    api_key: apiKey,
    webhook_secret: demo.webhookSecret,
    admin: { client_id: admin.client.client_id, client_secret: admin.clientSecret },
  };
}
