/** Rows typed into the limit-overrides table as the console writes them: their feedback, their effect, and their entries. */
import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../support/admin/admin-shell.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { adminToken, call, newClient } from '../support/http/client.ts';

const endpoint = 'POST /api/v1/sms/send';

let dynamo: DynamoDBDocumentClient;
let shell: AdminShell;
let TableName: string;
const elapsedMs: number[] = [];

beforeAll(() => {
  dynamo = documentClient();
  shell = adminShell();
  TableName = gateway().tables.limit_overrides ?? '';
});
afterAll(async () => {
  const sorted = elapsedMs.toSorted((one, other) => one - other);
  console.info(
    `Feedback for ${sorted.length} rows: median ${sorted[Math.floor(sorted.length / 2)]} ms, slowest ${sorted.at(-1)} ms`,
  );
  dynamo.destroy();
  await shell.close();
});

type Attributes = Record<string, AttributeValue>;

const keyOf = (client: string, of: string): Attributes => ({ client_id: { S: client }, endpoint: { S: of } });

async function rowOf(client: string, of = endpoint): Promise<Attributes | undefined> {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName, Key: keyOf(client, of), ConsistentRead: true }),
  );
  return Item;
}

/** Enters a row in the console's form, and waits for other feedback than the row had. */
async function type(client: string, attributes: Attributes, of = endpoint) {
  const before = (await rowOf(client, of))?.status_message?.S;
  const start = Date.now();

  await dynamo.send(new PutItemCommand({ TableName, Item: { ...keyOf(client, of), ...attributes } }));
  return eventually(async () => {
    const row = await rowOf(client, of);
    if (row?.status_message?.S === undefined || row.status_message.S === before) return undefined;
    elapsedMs.push(Date.now() - start);
    return { status: row.status?.S, message: row.status_message.S };
  });
}

async function activityOf(client: string): Promise<Record<string, unknown>[]> {
  const credential = await adminToken();
  const { body } = await call('GET', `/admin/api/activity?client_id=${client}&limit=100`, { credential });
  return body.entries as Record<string, unknown>[];
}

describe('a row that a person typed', () => {
  it('gets the feedback for its last edit, and each edit is one entry, however it was made', async () => {
    const { clientId } = await newClient({ limits: 'default' });
    const first = await type(clientId, { per_minute: { N: '600' }, per_day: { N: '200000' } });
    expect(first).toEqual({
      status: 'active',
      message: expect.stringMatching(
        /^Active since \d\d:\d\d:\d\d: 600 per minute, 1,000 per hour \(default\), 200,000 per day\. The hourly limit is reached after 100 s at full rate\.$/,
      ),
    });
    // The shell prints the text of the row.
    const set = await shell.json(
      ...['call', 'setLimits', clientId, '--endpoint', 'sms_send'],
      '--per-hour',
      '50000',
      '--note',
      'sale',
    );
    expect(set).toMatchObject({ status: 'active', note: 'sale' });
    expect((await rowOf(clientId))?.status_message?.S).toBe(set.status_message);
    const shown = await shell.run('call', 'showLimits', clientId);
    expect(shown.stdout).toContain(String(set.status_message));
    await dynamo.send(new DeleteItemCommand({ TableName, Key: keyOf(clientId, endpoint) }));

    const entries = await eventually(async () => {
      const found = (await activityOf(clientId)).filter(({ kind }) => String(kind).startsWith('limits_'));
      return found.length >= 3 ? found : undefined;
    });
    const ofKind = (kind: string, actor: boolean) =>
      entries.filter((entry) => entry.kind === kind && (entry.actor !== undefined) === actor);
    expect(entries).toHaveLength(3);
    expect(ofKind('limits_set', false)).toMatchObject([
      { before: { endpoint }, after: { endpoint, per_minute: 600, per_day: 200_000 } },
    ]);
    expect(ofKind('limits_set', true)).toMatchObject([
      { before: { per_minute: 600 }, after: { per_minute: 600, per_hour: 50_000, note: 'sale' } },
    ]);
    expect(ofKind('limits_removed', false)).toMatchObject([
      { before: { per_hour: 50_000 }, after: { endpoint } },
    ]);
    expect(await rowOf(clientId)).toBeUndefined();
  });

  it('with the mode observe refuses nothing, and everybody who asks sees what it would have refused', async () => {
    const client = await newClient({ limits: 'default' });
    const { clientId } = client;
    const row = { mode: { S: 'observe' }, per_minute: { N: '1' }, per_day: { N: '1' } };
    expect((await type(clientId, row)).message).toMatch(
      /: observes 1 per minute, 1 per day, and refuses nothing/,
    );
    for (const number of [1, 2, 3]) {
      const { status, headers } = await client.post('/api/v1/sms/send', { to: freshNumber(), message: 'Hi' });
      expect([number, status, headers.get('x-ratelimit-limit')]).toEqual([number, 202, '60']);
    }
    expect(await shell.json('call', 'explainLimits', clientId)).toMatchObject({
      endpoints: expect.arrayContaining([
        expect.objectContaining({ endpoint, observed: expect.objectContaining({ refused: 2 }) }),
      ]),
    });
    expect(await shell.json('call', 'showLimits', clientId)).toMatchObject({
      limits: expect.arrayContaining([
        expect.objectContaining({
          endpoint,
          mode: 'observe',
          observed_refused: 2,
          in_force: expect.objectContaining({ per_minute: 60 }),
        }),
      ]),
    });
  });
});
