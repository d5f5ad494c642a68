import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cachedWebhookSecrets, readWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { created } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['client_secrets']);
});
afterAll(() => tables.drop());

const put = (row: Record<string, unknown>) =>
  tables.dynamo.send(new PutCommand({ TableName: tables.names.client_secrets, Item: row }));
const secretsOf = (clientId: string, endpointId?: string) =>
  readWebhookSecrets(testContext(tables), clientId, endpointId);

const older = { secret: 'whsec_b2xk', created_at: created.toISOString(), expires_at: created.toISOString() };
const newer = { secret: 'whsec_bmV3', created_at: created.toISOString() };

describe('the secrets of webhooks in their table', () => {
  it('are all read, also the one that ends soon', async () => {
    await put({ client_id: 'rotated', webhook_secrets: [newer, older] });
    expect(await secretsOf('rotated')).toEqual([newer, older]);
  });

  it('are none for a client without a row, and for one whose row has none', async () => {
    await put({ client_id: 'bare' });
    expect(await secretsOf('bare')).toEqual([]);
    expect(await secretsOf('nobody')).toEqual([]);
  });

  it.each([
    ['an empty secret', [{ ...newer, secret: '' }]],
    ['a time that is none', [{ ...newer, created_at: 'yesterday' }]],
    ['no list', 'whsec_bmV3'],
  ])(
    'are refused with %s: nothing is signed with what a person got wrong',
    async (_what, webhook_secrets) => {
      await put({ client_id: 'wrong', webhook_secrets });
      await expect(secretsOf('wrong')).rejects.toThrow();
    },
  );

  it('of a client are read where those of its endpoints are no map, and these are refused', async () => {
    await put({ client_id: 'half', webhook_secrets: [newer], endpoint_secrets: null });
    expect(await secretsOf('half')).toEqual([newer]);
    await expect(secretsOf('half', 'whe_1')).rejects.toThrow();
  });
});

it('the first secret of a client is seen at once by a worker that found none', async () => {
  const client_id = 'new';
  const context = testContext(tables, { clock: () => created });
  expect(await cachedWebhookSecrets(context, client_id)).toEqual([]);
  await put({ client_id, webhook_secrets: [newer] });
  expect(await cachedWebhookSecrets(context, client_id)).toEqual([newer]);
});
