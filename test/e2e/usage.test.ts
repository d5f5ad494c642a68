/**
 * What was sent over HTTP is in the usage of its client, once. All of it is sent in one UTC day, and asked for by that day:
 * the tests themselves may run into the next day, month or year.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Period } from '../../shared/usage/period.ts';
import { type AdminShell, adminShell } from '../support/admin/admin-shell.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { call, newClient, type TestClient, tokenOf } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

/** The simulator refuses the first at hand-over; the second stays sent. */
const [refused, silent] = ['+15005550001', '+15005550004'];
const waits = { everyMilliseconds: 1000 };
/** A quarter each: delivered, delivered in two segments of which one is avoidable, refused, and without a receipt. */
const sent = 8;

interface Entry {
  readonly from: string;
  readonly to: string;
  readonly messages: number;
  readonly [name: string]: unknown;
}

let client: TestClient;
let token: string;
let shell: AdminShell;
/** In which they were sent. */
let day: Period;
/** Once all is counted. */
let byStatus: Entry[];

/** The query for the day, and `more`. */
function ofDay(more: string): string {
  return `since=${day.from.toISOString()}&until=${day.to.toISOString()}&${more}`;
}

async function usageOf(query: string): Promise<Entry[]> {
  const { status, body } = await client.call('GET', `/api/v1/account/usage?${ofDay(query)}`);
  expect(status).toBe(200);
  return body.usage as Entry[];
}

async function sendMessages(sendingDay: Period): Promise<void> {
  [day, client] = [sendingDay, await newClient()];
  for (let sends = 0; sends < sent; sends += 4)
    await Promise.all([
      client.send({}),
      client.send({ message: `It’s ${'x'.repeat(100)}` }),
      client.send({ to: refused }),
      client.send({ type: 'promotional', to: silent }),
    ]);
}

beforeAll(async () => {
  shell = adminShell();
  const { client_id, client_secret } = gateway().admin;
  token = await tokenOf(client_id, client_secret);
  await withinOne('day', sendMessages);
  byStatus = await eventually(async () => {
    const entries = await usageOf('interval=month&group_by=status');
    const countOf = (status: string) => entries.find((entry) => entry.status === status)?.messages ?? 0;
    // A quarter stays sent; of the others, `sent` is a state on the way.
    const settled =
      entries.every(({ status }) => ['delivered', 'failed', 'sent'].includes(String(status))) &&
      countOf('sent') <= sent / 4;
    const messages = entries.reduce((sum, entry) => sum + entry.messages, 0);
    return settled && messages >= sent ? entries : undefined;
  }, waits);
});
afterAll(() => shell.close());

describe('usage', () => {
  it('has every message of the client once, in its final state, with its cost', async () => {
    const each = sent / 4;
    const listed = byStatus.map(({ from: _from, to: _to, ...rest }) => rest);
    expect(listed).toEqual([
      {
        status: 'delivered',
        messages: 2 * each,
        segments: 3 * each,
        avoidable_segments: each,
        avoidable_cost: expect.closeTo(each * 0.0042, 6),
        delivered: 2 * each,
        failed: 0,
        cost: expect.closeTo(3 * each * 0.0042, 6),
        estimated: false,
        possible_duplicates: 0,
      },
      {
        status: 'failed',
        messages: each,
        segments: each,
        avoidable_segments: 0,
        avoidable_cost: 0,
        delivered: 0,
        failed: each,
        cost: 0,
        estimated: false,
        possible_duplicates: 0,
      },
      {
        status: 'sent',
        messages: each,
        segments: each,
        avoidable_segments: 0,
        avoidable_cost: 0,
        delivered: 0,
        failed: 0,
        cost: expect.closeTo(each * 0.0042, 6),
        estimated: true,
        possible_duplicates: 0,
      },
    ]);
  });

  it('is the same sum by each interval and group, and shows no other client', async () => {
    for (const query of ['interval=hour', 'interval=day&group_by=channel,type', 'group_by=country', '']) {
      const entries = await usageOf(query);
      expect(entries.reduce((sum, { messages }) => sum + messages, 0)).toBe(sent);
    }
    expect(await usageOf('group_by=channel,type,country')).toEqual([
      expect.objectContaining({ channel: 'sms', type: 'promotional', country: 'US', messages: sent / 4 }),
      expect.objectContaining({ channel: 'sms', type: 'transactional', country: 'GB', messages: sent / 2 }),
      expect.objectContaining({ channel: 'sms', type: 'transactional', country: 'US', messages: sent / 4 }),
    ]);
    const other = await newClient();
    const { body } = await other.call('GET', '/api/v1/account/usage');
    expect(body).toEqual({ currency: 'USD', usage: [], caps: [] });
  });

  it('is refused for faulty parameters, all named', async () => {
    const response = await client.call('GET', '/api/v1/account/usage?interval=week&group_by=client&since=x');
    expectRefusal(response, 400, 'invalid_request', ['since', 'interval', 'group_by']);
  });

  it('is shown to administrators by client, with the top clients and error codes of a period', async () => {
    const asAdmin = (path: string) => call('GET', `/admin/api/usage/${path}`, { credential: token });
    const { body } = await asAdmin(`messages?${ofDay('interval=month&group_by=client')}`);
    const mine = (body.usage as Entry[]).filter(({ client_id }) => client_id === client.clientId);
    expect(mine).toMatchObject([{ messages: sent }]);
    const query = ofDay(`interval=month&client_id=${client.clientId}&group_by=client,channel`);
    const own = await asAdmin(`messages?${query}`);
    expect(own.body.usage).toMatchObject([{ client_id: client.clientId, channel: 'sms', messages: sent }]);
    const { body: summary } = await asAdmin(`summary?interval=month&at=${day.from.toISOString()}`);
    const total = summary.total as Entry;
    expect(total.messages).toBeGreaterThanOrEqual(sent);
    const codes = summary.error_codes as { messages: number }[];
    expect(codes[0]?.messages).toBeGreaterThanOrEqual(sent / 4);
    const clients = summary.top_clients as { messages: number }[];
    expect(clients.map(({ messages }) => messages)).toEqual(
      clients.map(({ messages }) => messages).toSorted((one, other) => other - one),
    );
  });

  it('is printed by the shell, as JSON and as CSV', async () => {
    const ofClient = ['call', 'listUsage', '--client', client.clientId];
    const ofMonth = [...ofClient, '--since', day.name, '--interval', 'month'];
    expect((await shell.json(...ofMonth)).usage).toMatchObject([{ messages: sent }]);
    const { stdout: csv } = await shell.run(...ofMonth, '--group-by', 'client', '--csv');
    const [header, row] = csv.split('\r\n');
    expect(header).toBe(
      'from,to,client_id,client_name,channel,type,country,status,messages,segments,avoidable_segments,avoidable_cost,delivered,failed,cost,currency,estimated',
    );
    const { name } = await shell.json('call', 'showClient', client.clientId);
    expect(row?.split(',').slice(2, 9)).toEqual([client.clientId, name, '', '', '', '', String(sent)]);
    const ofDays = [...ofClient, '--since', day.name];
    expect((await shell.json(...ofDays, '--interval', 'day')).usage).toMatchObject([{ messages: sent }]);
    expect(await shell.json(...ofDays, '--until', '2020-01-01').catch(String)).toContain('before until');
  });
});
