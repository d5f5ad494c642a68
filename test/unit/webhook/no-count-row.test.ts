/** An endpoint can be deleted also where a person deleted the row with their number (contract 12.2). */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };

async function withoutCount(endpoints: number) {
  const tables = inMemoryTables();
  const stores = inMemoryStores(tables);
  const idOf = (index: number) => `whe_01KAG000000000000000000${String(index).padStart(3, '0')}`;
  for (let index = 0; index < endpoints; index += 1)
    await stores.endpoints.create(anEndpoint({ endpoint_id: idOf(index) }), secret);
  const Key = { client_id: 'client-a', endpoint_id: 'count' };
  await tables.dynamo.send(new DeleteCommand({ TableName: tables.names.webhook_endpoints, Key }));
  return { ...stores, idOf };
}

it('is deleted', async () => {
  const { endpoints, idOf } = await withoutCount(1);
  expect(await endpoints.delete('client-a', idOf(0))).toBe(true);
  expect(await endpoints.list('client-a')).toEqual([]);
});
