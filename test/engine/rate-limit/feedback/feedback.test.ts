/** A review writes into each row of limits what is in force, whatever is edited meanwhile and wherever it ends. */
import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EditedRow } from '../../../../shared/edited-table/row-editor.dynamo.ts';
import { reviewAll, reviewClients, reviewExpired } from '../../../../shared/limit/review-limits.ts';
import { addSeconds } from '../../../../shared/platform/clock.ts';
import { createTables } from '../../../support/engine/tables.ts';
import { testContext, withCalls } from '../../../support/engine/test-context.ts';
import type { TestTables } from '../../../support/engine/test-tables.ts';
import { endpoint, limitedClient, noon } from '../../../support/rate-limit/limited-client.ts';

let tables: TestTables;
let now = noon;

beforeEach(async () => {
  tables = await createTables(['limit_overrides', 'clients']);
});
afterEach(() => tables.drop());

const newClient = () => limitedClient(tables);

const put = async (Item: Record<string, unknown>) => {
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.limit_overrides, Item }));
};
const rowOf = async (client_id: string, of = endpoint): Promise<EditedRow | undefined> => {
  const Key = { client_id, endpoint: of };
  const { Item } = await tables.dynamo.send(
    new GetCommand({ TableName: tables.names.limit_overrides, Key, ConsistentRead: true }),
  );
  return Item;
};
const remove = (client_id: string) =>
  tables.dynamo.send(
    new DeleteCommand({ TableName: tables.names.limit_overrides, Key: { client_id, endpoint } }),
  );

/** @param around - what happens at each call of the database */
const dependencies = (around: Parameters<typeof withCalls>[1] = (_call, run) => run()) =>
  withCalls(testContext(tables, { clock: () => now }), around);

describe('a review', () => {
  it('writes the feedback once: a repeated one writes nothing, and keeps its time', async () => {
    const client_id = await newClient();
    await put({ client_id, endpoint, per_minute: 600, note: 'sale' });
    now = noon;
    expect(await reviewClients(dependencies(), new Set([client_id]))).toMatchObject({ written: 1 });
    const row = await rowOf(client_id);
    expect(row).toMatchObject({
      per_minute: 600,
      note: 'sale',
      status: 'active',
      status_message: expect.stringMatching(
        /^Active since 12:00:05: 600 per minute, 1,000 per hour \(default\)/,
      ),
    });
    now = addSeconds(noon, 3600);
    expect(await reviewClients(dependencies(), new Set([client_id]))).toMatchObject({ written: 0 });
    expect(await rowOf(client_id)).toEqual(row);
  });

  it('leaves a row deleted that was deleted meanwhile', async () => {
    const client_id = await newClient();
    await put({ client_id, endpoint, per_minute: 600 });
    const deleting = dependencies(async ({ operation }, run) => {
      if (operation === 'UpdateItem') await remove(client_id);
      return run();
    });
    expect(await reviewClients(deleting, new Set([client_id]))).toMatchObject({ written: 0 });
    expect(await rowOf(client_id)).toBeUndefined();
  });

  it.each([
    ['another value', 'SET per_minute = :new', 7, /^Active since .*: 7 per minute/],
    ['an attribute that is misspelled', 'SET per_huor = :new', 7, /per_huor: there is no such attribute/],
    [
      'a number longer than a JavaScript number',
      'SET per_day = :new',
      BigInt('99999999999999999999999999'),
      /per_day: .* Write/,
    ],
  ])('judges a row again that was edited meanwhile: %s', async (_what, UpdateExpression, value, message) => {
    const client_id = await newClient();
    await put({ client_id, endpoint, per_minute: 600 });
    let edited = false;
    const editing = dependencies(async ({ operation }, run) => {
      if (operation === 'UpdateItem' && !edited) {
        edited = true;
        await tables.dynamo.send(
          new UpdateCommand({
            TableName: tables.names.limit_overrides,
            Key: { client_id, endpoint },
            UpdateExpression,
            ExpressionAttributeValues: { ':new': value },
          }),
        );
        // The newer edit has its own review, which may come first.
        await reviewClients(dependencies(), new Set([client_id]));
      }
      return run();
    });
    await reviewClients(editing, new Set([client_id]));
    expect((await rowOf(client_id))?.status_message).toMatch(message);
  });

  it('takes every type that a person can enter, and a number of 38 digits', async () => {
    const client_id = await newClient();
    const typed: Record<string, AttributeValue> = {
      per_minute: { N: '12345678901234567890123456789012345678' },
      per_hour: { NS: ['1', '2'] },
      per_day: { B: new Uint8Array([1, 2]) },
      blocked: { NULL: true },
      expires_at: { M: { at: { S: 'x' } } },
      note: { L: [{ N: '1' }] },
    };
    await tables.dynamo.send(
      new PutItemCommand({
        TableName: tables.names.limit_overrides,
        Item: { ...marshall({ client_id, endpoint }), ...typed },
      }),
    );
    expect(await reviewClients(dependencies(), new Set([client_id]))).toMatchObject({ written: 1 });
    const { status, status_message } = (await rowOf(client_id)) ?? {};
    expect(status).toBe('invalid');
    for (const name of Object.keys(typed).filter((one) => one !== 'note')) {
      expect(status_message).toContain(`${name}: `);
    }
  });

  it('of all rows marks those that have expired, those of no client, and what a person did to the feedback', async () => {
    const client_id = await newClient();
    now = noon;
    await put({ client_id, endpoint, per_minute: 5, expires_at: addSeconds(noon, 60).toISOString() });
    await put({ client_id: 'client_nobody', endpoint, per_minute: 5 });
    const other = await newClient();
    await put({ client_id: other, endpoint, per_minute: 5, status: 'paused', status_message: 'Please.' });
    await reviewAll(dependencies());
    expect(await rowOf(client_id)).toMatchObject({ status: 'active' });
    expect(await rowOf(other)).toMatchObject({ status: 'active' });
    expect(await rowOf('client_nobody')).toMatchObject({
      status: 'invalid',
      status_message: 'client_id: there is no client "client_nobody", so the row has no effect.',
    });
    now = addSeconds(noon, 60);
    await reviewAll(dependencies());
    expect(await rowOf(client_id)).toMatchObject({
      status: 'expired',
      status_message: expect.stringMatching(
        /^Expired at 2026-11-20T12:01:05Z: .* Now in force: 60 per minute/,
      ),
    });
  });

  it('each minute reads only clients of which a row has expired, and each of these rows once', async () => {
    const names = ['POST /api/v1/otp/send', 'POST /api/v1/otp/verify', 'POST /api/v1/whatsapp/send'];
    const ids = [await newClient(), await newClient(), await newClient()];
    const [soon = '', later = '', hidden = ''] = ids;
    now = noon;
    for (const client_id of ids)
      for (const name of names) await put({ client_id, endpoint: name, per_minute: 5 });
    const expiring = (client_id: string, seconds: number) =>
      put({ client_id, endpoint, per_minute: 5, expires_at: addSeconds(noon, seconds).toISOString() });
    await expiring(soon, 90);
    await expiring(later, 10_800);
    await reviewAll(dependencies());
    // No review has seen it before it expires.
    await expiring(hidden, 90);
    const asked: string[] = [];
    const run = () => {
      asked.length = 0;
      const counted = dependencies(async ({ operation, input }, run) => {
        const values = input.ExpressionAttributeValues as Record<string, AttributeValue> | undefined;
        if (operation === 'Query') asked.push(values?.[':client_id']?.S ?? '');
        if (operation === 'Scan' && values === undefined) throw new Error('all rows are read');
        return run();
      });
      return reviewExpired(counted);
    };
    now = addSeconds(noon, 89);
    expect(await run()).toEqual({ rows: 0, written: 0 });
    now = addSeconds(noon, 106);
    expect(await run()).toMatchObject({ written: 2 });
    expect(new Set(asked)).toEqual(new Set([soon, hidden, '*']));
    expect((await rowOf(soon))?.status).toBe('expired');
    expect((await rowOf(hidden))?.status).toBe('expired');
    expect(await run()).toEqual({ rows: 0, written: 0 });
    now = addSeconds(noon, 10_800);
    expect(await run()).toMatchObject({ written: 1 });
    expect((await rowOf(later))?.status).toBe('expired');
  });

  it('that fails for an expired row is repeated by the next run', async () => {
    const client_id = await newClient();
    now = noon;
    await put({ client_id, endpoint, per_minute: 5, expires_at: addSeconds(noon, 60).toISOString() });
    await reviewClients(dependencies(), new Set([client_id]));
    now = addSeconds(noon, 60);
    const failing = dependencies(async ({ operation }, run) => {
      if (operation === 'UpdateItem') throw new Error('throttled');
      return run();
    });
    await expect(reviewExpired(failing)).rejects.toThrow('throttled');
    expect((await rowOf(client_id))?.status).toBe('active');
    await reviewExpired(dependencies());
    expect((await rowOf(client_id))?.status).toBe('expired');
  });

  it('of a row for every client also reviews rows that have expired, whose effect it changes', async () => {
    const client_id = await newClient();
    const bulk = 'POST /api/v1/sms/bulk';
    now = noon;
    await put({ client_id, endpoint: bulk, per_minute: 5, expires_at: '2026-11-01' });
    await reviewClients(dependencies(), new Set([client_id]));
    expect((await rowOf(client_id, bulk))?.status_message).toMatch(/Now in force: 10 per minute \(default\)/);
    await put({ client_id: '*', endpoint: bulk, per_minute: 3 });
    await reviewClients(dependencies(), new Set(['*']));
    expect((await rowOf(client_id, bulk))?.status_message).toMatch(
      /Now in force, by the row of client_id \*: 3 per minute/,
    );
    expect((await rowOf('*', bulk))?.status_message).toMatch(/It applies to every client/);
  });

  it('that ends after any of its writes is completed by the next one', async () => {
    const client_id = await newClient();
    const names = [endpoint, 'POST /api/v1/sms/bulk', 'spend', 'messages', 'POST /api/v1/otp/snd'];
    for (const name of names) await put({ client_id, endpoint: name, per_day: 5 });
    for (let allowed = 0; allowed < names.length; allowed += 1) {
      let writes = 0;
      const dying = dependencies(async ({ operation }, run) => {
        if (operation === 'UpdateItem') writes += 1;
        if (writes > 1) throw new Error('the process ended');
        return run();
      });
      await reviewClients(dying, new Set([client_id])).catch(() => undefined);
    }
    await reviewClients(dependencies(), new Set([client_id]));
    for (const name of names) expect((await rowOf(client_id, name))?.status).toMatch(/active|invalid/);
  });
});
