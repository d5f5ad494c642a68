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
    const bulk = await client.post('/api/v1/sms/bulk', { message: 'Hello', recipients: [to] });
    const [ofBulk] = bulk.body.messages as { message_id: string }[];
    const sent = [
      [ofBulk?.message_id ?? '', 'ACME-GB'],
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
    expect(messages).toContainEqual(expect.objectContaining({ message_id: sent[1][0], from: 'ACME-GB' }));
  });
});

describe('the tools', () => {
  it('set, list and remove a row by shell and admin API, each change with its entry and its feedback', async () => {
    const { clientId } = await newClient();
    const key = ['--client', clientId, '--country', 'IN'];
    const ids = ['--entity-id', '1101456789012345678', '--template-id', '1107'];
    const set = await shell.json('call', 'setSender', ...key, '--identity', 'ACMEIN', ...ids);
    expect(set).toMatchObject({ destination: 'sms IN', identity: 'ACMEIN', status: 'active' });
    expect((await feedbackOf(clientId, 'sms IN')).message).toBe(set.status_message);
    const changed = await asAdmin('PATCH', '/admin/api/senders', {
      client_id: clientId,
      country: 'IN',
      messages_per_second: 5,
      note: 'since March',
    });
    expect(changed.body).toMatchObject({ identity: 'ACMEIN', messages_per_second: '5', status: 'active' });
    expect((await shell.run('call', 'listSenders', '--all')).stdout).toContain(
      String(changed.body.status_message),
    );
    const listed = await asAdmin('GET', `/admin/api/senders?client_id=${clientId}`);
    expect(listed.body.senders).toContainEqual(changed.body);
    const row = { client_id: clientId, destination: 'sms IN' };
    expect((await asAdmin('POST', '/admin/api/senders/remove', row)).status).toBe(200);
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
