import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { cachedSecrets, type WebhookSecret } from '../../../shared/client/webhook-secrets.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { created } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['client_secrets']);
});
afterAll(() => tables.drop());

const put = (row: Record<string, unknown>) =>
  tables.dynamo.send(new PutCommand({ TableName: tables.names.client_secrets, Item: row }));
const source = () => dynamoWebhookSecrets(tables.dynamo, tables.names.client_secrets);

const older = { secret: 'whsec_b2xk', created_at: created.toISOString(), expires_at: created.toISOString() };
const newer = { secret: 'whsec_bmV3', created_at: created.toISOString() };

describe('the secrets of webhooks in their table', () => {
  it('are all read, also the one that ends soon', async () => {
    await put({ client_id: 'rotated', webhook_secrets: [newer, older] });
    expect(await source().find('rotated')).toEqual([newer, older]);
  });

  it('are none for a client without a row, and for one whose row has none', async () => {
    await put({ client_id: 'bare' });
    expect(await source().find('bare')).toEqual([]);
    expect(await source().find('nobody')).toEqual([]);
  });

  it.each([
    ['an empty secret', [{ ...newer, secret: '' }]],
    ['a time that is none', [{ ...newer, created_at: 'yesterday' }]],
    ['no list', 'whsec_bmV3'],
  ])(
    'are refused with %s: nothing is signed with what a person got wrong',
    async (_what, webhook_secrets) => {
      await put({ client_id: 'wrong', webhook_secrets });
      await expect(source().find('wrong')).rejects.toThrow();
    },
  );

  it('of a client are read where those of its endpoints are no map, and these are refused', async () => {
    await put({ client_id: 'half', webhook_secrets: [newer], endpoint_secrets: null });
    expect(await source().find('half')).toEqual([newer]);
    await expect(source().find('half', 'whe_1')).rejects.toThrow();
  });
});

describe('the memory of secrets', () => {
  function remembered() {
    const rows = new Map<string, readonly WebhookSecret[]>();
    let reads = 0;
    let now = created;
    const secrets = cachedSecrets(
      {
        async find(clientId) {
          reads += 1;
          return rows.get(clientId) ?? [];
        },
      },
      () => now,
    );
    return {
      rows,
      secrets,
      reads: () => reads,
      pass: (seconds: number) => {
        now = addSeconds(now, seconds);
      },
    };
  }

  it('reads once for a flood of webhooks', async () => {
    const { rows, secrets, reads } = remembered();
    rows.set('c', [newer]);
    await Promise.all(Array.from({ length: 50 }, () => secrets.find('c')));
    expect(reads()).toBe(1);
  });

  it('sees a rotation within 30 s, far less than the 24 h for which the old secret is good', async () => {
    const { rows, secrets, pass } = remembered();
    rows.set('c', [older]);
    expect(await secrets.find('c')).toEqual([older]);
    rows.set('c', [newer, older]);
    pass(30);
    expect(await secrets.find('c')).toEqual([newer, older]);
  });

  it('sees the first secret of a client at once', async () => {
    const { rows, secrets } = remembered();
    expect(await secrets.find('c')).toEqual([]);
    rows.set('c', [newer]);
    expect(await secrets.find('c')).toEqual([newer]);
  });
});
