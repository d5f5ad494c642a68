/** An endpoint that the gateway disabled, and that a person enables in the console, has five days and twenty attempts again (contract 12.5). */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { addDays } from '../../../shared/platform/clock.ts';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import { countResult, disabledAfter } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

it('is not disabled again by its first failure', async () => {
  const tables = inMemoryTables();
  const { endpoints, dueItemIndex } = inMemoryStores(tables);
  const failing = anEndpoint({
    failing_since: created.toISOString(),
    failed_attempts: disabledAfter.attempts,
  });
  const { client_id, endpoint_id } = failing;
  await endpoints.create(failing, { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() });
  await endpoints.disable(failing, {
    disabled_at: addDays(created, 6).toISOString(),
    disabled_reason: 'no_successful_delivery',
    revision: 'second',
  });
  await tables.dynamo.send(
    new UpdateCommand({
      TableName: tables.names.webhook_endpoints,
      Key: { client_id, endpoint_id },
      UpdateExpression: 'SET enabled = :yes',
      ExpressionAttributeValues: { ':yes': true },
    }),
  );
  const enabled = await endpoints.get(client_id, endpoint_id);
  if (enabled === undefined) throw new Error('it is stored');
  const now = addDays(created, 8);
  await countResult({ endpoints, dueItemIndex, clock: () => now }, enabled, { error: 'not_200' } as Attempt);
  expect(tables.rows('due_items')).toEqual([]);
  expect(await endpoints.get(client_id, endpoint_id)).toMatchObject({
    enabled: true,
    failing_since: now.toISOString(),
    failed_attempts: 1,
  });
});
