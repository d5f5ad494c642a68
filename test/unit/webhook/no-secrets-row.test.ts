/** An endpoint can be deleted also where a person deleted its client's row of client-secrets (contract 12.2). */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

it('without its secrets is deleted, and makes room for another', async () => {
  const tables = inMemoryTables();
  const { endpoints } = inMemoryStores(tables);
  const endpoint = anEndpoint();
  const { client_id, endpoint_id } = endpoint;
  await endpoints.create(endpoint, { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() });
  await tables.dynamo.send(new DeleteCommand({ TableName: tables.names.client_secrets, Key: { client_id } }));
  expect(await endpoints.delete(client_id, endpoint_id)).toBe(true);
  expect(await endpoints.list(client_id)).toEqual([]);
});
