/** Senders on the deployed gateway: rows as the console writes them, what messages are sent from, and the tools. */
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

let dynamo: DynamoDBDocumentClient;
let shell: AdminShell;
let TableName: string;

beforeAll(() => {
  dynamo = documentClient();
  shell = adminShell();
  TableName = gateway().tables.senders ?? '';
});
afterAll(async () => {
  dynamo.destroy();
  await shell.close();
});

type Attributes = Record<string, AttributeValue>;

const keyOf = (client: string, destination: string): Attributes => ({
  client_id: { S: client },
  destination: { S: destination },
});

/** Enters a row in the console's form. */
async function enter(client: string, destination: string, attributes: Attributes): Promise<void> {
  await dynamo.send(
    new PutItemCommand({ TableName, Item: { ...keyOf(client, destination), ...attributes } }),
  );
}

async function feedbackOf(client: string, destination: string) {
  return eventually(async () => {
    const { Item } = await dynamo.send(
      new GetItemCommand({ TableName, Key: keyOf(client, destination), ConsistentRead: true }),
    );
    if (Item?.status_message?.S === undefined) return undefined;
    return { status: Item.status?.S, message: Item.status_message.S };
  });
}

async function asAdmin(method: string, path: string, body?: object) {
  return call(method, path, { credential: await adminToken(), body });
}

const mistakes: readonly (readonly [string, string, Attributes, RegExp])[] = [
  ['no identity', 'sms GB', {}, /^identity: it is missing/],
  [
    'a number as a number',
    'sms GB',
    { identity: { N: '447700900123' } },
    /^identity: 447700900123 is a number/,
  ],
  [
    'a national number',
    'sms GB',
    { identity: { S: '07700 900123' } },
    /^identity: "07700 900123" is not a sender/,
  ],
  ['a long name', 'sms GB', { identity: { S: 'ACME Deliveries' } }, /^identity: "ACME Deliveries" is not/],
  ['a list', 'sms GB', { identity: { L: [{ S: 'ACME' }] } }, /^identity: \["ACME"\] is not a text/],
  ['null', 'sms GB', { identity: { NULL: true } }, /^identity: null is not a text/],
  [
    'a name for the US',
    'sms US',
    { identity: { S: 'ACME' } },
    /^identity: sender IDs are not accepted in US/,
  ],
  ['UK', 'sms UK', { identity: { S: 'ACME' } }, /^destination: .* Write "sms GB"\./],
  ['only a country', 'GB', { identity: { S: 'ACME' } }, /^destination: .* Write "sms GB"\./],
  [
    'a pace of zero',
    'sms GB',
    { identity: { S: 'ACME' }, messages_per_second: { N: '0' } },
    /^messages_per_second: 0 is not a valid pace/,
  ],
  [
    'a pace of 38 digits',
    'sms GB',
    { identity: { S: 'ACME' }, messages_per_second: { N: '9'.repeat(38) } },
    /^messages_per_second: .* is not a valid pace/,
  ],
  [
    'one id of India',
    'sms IN',
    { identity: { S: 'ACME' }, entity_id: { S: '1101' } },
    /^template_id: it is missing/,
  ],
  [
    'a rounded id of India',
    'sms IN',
    { identity: { S: 'ACME' }, entity_id: { N: '1101456789012345678' }, template_id: { S: '1107' } },
    /^entity_id: \d+ is a number and may be rounded/,
  ],
  [
    'a name that receives',
    'sms GB',
    { identity: { S: 'ACME' }, inbound: { BOOL: true } },
    /^inbound: only a phone number receives/,
  ],
];

describe('a row with a mistake', () => {
  it('gets its feedback within seconds, and the next row in order is used', async () => {
    const entered = await Promise.all(
      mistakes.map(async ([what, destination, attributes, message]) => {
        const client = await newClient();
        await enter(client.clientId, destination, attributes);
        await enter(client.clientId, 'sms *', { identity: { S: '+447700900999' } });
        return { what, client, destination, message };
      }),
    );
    for (const { what, client, destination, message } of entered) {
      const feedback = await feedbackOf(client.clientId, destination);
      expect([what, feedback.status]).toEqual([what, 'invalid']);
      expect(feedback.message).toMatch(message);
      const to = destination.endsWith('US')
        ? '+12065550100'
        : destination.endsWith('IN')
          ? '+919876543210'
          : freshNumber();
      const dry = await client.post('/api/v1/sms/send?dry_run=true', { to, message: 'Hello' });
      expect([what, dry.status, dry.body.from]).toEqual([what, 200, '+447700900999']);
    }
  });
});

describe('the sender of a message', () => {
  it('is that of its row, in the status, the list, the outbox and the webhook data of every send', async () => {
    const client = await newClient();
    await enter(client.clientId, 'sms GB', { identity: { S: 'ACME-GB' }, messages_per_second: { N: '50' } });
    await enter(client.clientId, 'sms *', { identity: { S: '+447700900998' } });
    await enter(client.clientId, 'whatsapp *', { identity: { S: 'phone-number-id-0123' } });
    expect(await feedbackOf(client.clientId, 'sms GB')).toEqual({
      status: 'active',
      message: expect.stringMatching(
        /^Active since \d\d:\d\d:\d\d: SMS to GB are sent from ACME-GB, at most 50 a second\.$/,
      ),
    });
    const to = freshNumber();
    const sent = [
      [await client.send({ to, message: 'Hello' }), 'ACME-GB'],
      [await client.send({ to, message: 'Hello', from: 'OTHER' }), 'OTHER'],
      [await client.send({ to: '+33612345678', message: 'Hello' }), '+447700900998'],
      [await client.send({ to }, '/api/v1/otp/send'), 'ACME-GB'],
      [await client.send({ to, message: 'Hello' }, '/api/v1/whatsapp/send'), 'phone-number-id-0123'],
    ] as const;
    for (const [id, from] of sent) {
      expect(await client.statusOnce(id, 'delivered')).toMatchObject({ from });
    }
    const { body } = await client.call('GET', '/api/v1/messages');
    const listed = body.messages as { message_id: string; from: string | null }[];
    expect(new Map(listed.map(({ message_id, from }) => [message_id, from]))).toEqual(new Map(sent));
    const { messages } = await shell.json('call', 'listOutbox', '--to', to);
    expect(messages).toContainEqual(expect.objectContaining({ message_id: sent[0][0], from: 'ACME-GB' }));
  });

  it('of a bulk is selected for each recipient', async () => {
    const client = await newClient();
    await enter(client.clientId, 'sms GB', { identity: { S: 'ACME-GB' } });
    await enter(client.clientId, 'sms FR', { identity: { S: 'ACME-FR' } });
    const recipients = [freshNumber(), '+33612345678', '+4915123456789'];
    const { body } = await client.post('/api/v1/sms/bulk', { message: 'Hello', recipients });
    const ids = (body.messages as { message_id: string }[]).map(({ message_id }) => message_id);
    const senders = await Promise.all(ids.map(async (id) => (await client.status(id)).from));
    expect(senders).toEqual(['ACME-GB', 'ACME-FR', null]);
  });
});

describe('the tools', () => {
  it('set, list and remove a row by shell and admin API, each change with its entry and its feedback', async () => {
    const { clientId } = await newClient();
    const key = ['--client', clientId, '--country', 'IN'];
    const ids = ['--entity-id', '1101456789012345678', '--template-id', '1107'];
    const set = await shell.json('senders', 'set', ...key, '--identity', 'ACMEIN', ...ids);
    expect(set).toMatchObject({ destination: 'sms IN', identity: 'ACMEIN', status: 'active' });
    expect((await feedbackOf(clientId, 'sms IN')).message).toBe(set.status_message);
    const changed = await asAdmin('PATCH', '/admin/api/senders', {
      client_id: clientId,
      country: 'IN',
      messages_per_second: 5,
      note: 'since March',
    });
    expect(changed.body).toMatchObject({ identity: 'ACMEIN', messages_per_second: '5', status: 'active' });
    expect((await shell.run('senders', 'list')).stdout).toContain(String(changed.body.status_message));
    const listed = await asAdmin('GET', `/admin/api/senders?client_id=${clientId}`);
    expect(listed.body.senders).toContainEqual(changed.body);
    const row = ['--client', clientId, '--destination', 'sms IN'];
    expect(await shell.json('senders', 'remove', ...row)).toMatchObject({ removed: true });
    const entries = await eventually(async () => {
      const { body } = await asAdmin('GET', `/admin/api/activity?client_id=${clientId}&limit=100`);
      const found = (body.entries as Record<string, unknown>[]).filter(({ kind }) =>
        String(kind).startsWith('sender_'),
      );
      return found.length >= 3 ? found : undefined;
    });
    expect(entries.map(({ kind, actor }) => [kind, actor !== undefined])).toEqual([
      ['sender_removed', true],
      ['sender_set', true],
      ['sender_set', true],
    ]);
    expect(entries[1]).toMatchObject({
      before: { destination: 'sms IN', identity: 'ACMEIN' },
      after: { destination: 'sms IN', messages_per_second: 5, note: 'since March' },
    });
  });

  it('refuse what is not a sender, and name what is wrong', async () => {
    const { clientId } = await newClient();
    const refused = await asAdmin('PATCH', '/admin/api/senders', {
      client_id: clientId,
      country: 'GB',
      identity: 'much too long a name',
      messages_per_second: -1,
    });
    expect(refused.status).toBe(400);
    expect(refused.body.details).toMatchObject([{ field: 'identity' }, { field: 'messages_per_second' }]);
    const none = await asAdmin('PATCH', '/admin/api/senders', { client_id: clientId, country: 'UK' });
    expect(none.body).toMatchObject({ error: 'invalid_request', details: [{ field: 'country' }] });
    const nobody = await shell.run(
      ...['senders', 'set', '--client', 'client_nobody', '--country', '*', '--identity', 'ACME'],
    );
    expect([nobody.status, nobody.stderr]).toEqual([
      1,
      expect.stringContaining('There is no client client_nobody.'),
    ]);
    const gone = await shell.run('senders', 'remove', '--client', clientId, '--destination', 'sms GB');
    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('There is no such row')]);
  });

  it('remove a row whose destination is misspelled, and show it until then', async () => {
    const { clientId } = await newClient();
    await enter(clientId, 'sms UK', { identity: { S: 'ACME' } });
    const listed = await asAdmin('GET', `/admin/api/senders?client_id=${clientId}`);
    expect(listed.body.senders).toContainEqual(
      expect.objectContaining({
        client_id: clientId,
        destination: 'sms UK',
        channel: null,
        status: 'invalid',
      }),
    );
    const body = { client_id: clientId, destination: 'sms UK' };
    expect((await asAdmin('POST', '/admin/api/senders/remove', body)).status).toBe(200);
    expect((await asAdmin('POST', '/admin/api/senders/remove', body)).status).toBe(404);
  });

  it('two clients that claim one number both get feedback, and one gets it again when the other gives the number up', async () => {
    const [one, other] = [await newClient(), await newClient()];
    const claim = { identity: { S: freshNumber() }, inbound: { BOOL: true } };
    await enter(one.clientId, 'sms *', claim);
    await enter(other.clientId, 'sms *', claim);
    const told = (clientId: string, pattern: RegExp) =>
      eventually(async () => {
        const { message } = await feedbackOf(clientId, 'sms *');
        return pattern.test(message) ? message : undefined;
      });
    expect(await told(one.clientId, /claims this number too/)).toContain(other.clientId);
    expect(await told(other.clientId, /claims this number too/)).toContain(one.clientId);
    await dynamo.send(new DeleteItemCommand({ TableName, Key: keyOf(other.clientId, 'sms *') }));
    expect(await told(one.clientId, /^Active/)).toContain('belong to this client');
  });
});
