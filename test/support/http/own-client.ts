/** A client of a test's own, so that no other test uses its limits, its URL or its secrets. */
import { dynamoClientAdmin } from '../../../shared/client/client-admin.dynamo.ts';
import { type CreatedClient, createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { documentClient, gateway } from '../gateway/gateway.ts';

export interface OwnClient {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

export async function ownClient(name: string): Promise<OwnClient> {
  const { base_url, tables } = gateway();
  const parts = dynamoClientAdmin(documentClient(), tables);
  const now = new Date();
  const { client, clientSecret, webhookSecret }: CreatedClient = await createClient(
    parts,
    { name, scopes: ['messages'] },
    now,
  );
  const { apiKey } = await createApiKey(parts, client.client_id, now);
  return { baseUrl: base_url, clientId: client.client_id, clientSecret, apiKey, webhookSecret };
}
