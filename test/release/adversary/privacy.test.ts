/** Privacy: what a request names of a person is in no log, whatever becomes of the request. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { everyLog } from '../../support/gateway/every-log.ts';
import { eventually, gateway } from '../../support/gateway/gateway.ts';
import { adminToken, newClient, type TestClient } from '../../support/http/client.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
});

/** As it is written in a path: the spellings that reach the function, and those that do not. */
const spellings: Readonly<Record<string, (number: string) => string>> = {
  plain: (number) => number,
  encoded: (number) => number.replace('+', '%2B'),
  'encoded in lower case': (number) => number.replace('+', '%2b'),
  'encoded twice': (number) => number.replace('+', '%252B'),
  'without plus': (number) => number.slice(1),
  'with 00': (number) => number.replace('+', '00'),
  'with a space': (number) => number.replace('+', '%20'),
  'every digit encoded': (number) => number.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`),
  'with a slash': (number) => `${number}/`,
};

const paths: readonly [method: string, path: (number: string) => string][] = [
  ['PUT', (number) => `/api/v1/suppressions/${number}`],
  ['DELETE', (number) => `/api/v1/suppressions/${number}`],
  ['PATCH', (number) => `/api/v1/suppressions/${number}`],
  ['GET', (number) => `/api/v1/suppressions?recipient=${number}`],
  ['GET', (number) => `/api/v1/messages?reference=${number}&unknown=${number}`],
  ['GET', (number) => `/api/v1/sms/status/${number}`],
  ['GET', (number) => `/api/v1/${number}`],
  ['GET', (number) => `/${number}/x`],
  ['GET', (number) => `/docs/${number}`],
  ['GET', (number) => `/admin/assets/${number}`],
  ['GET', (number) => `/.well-known/${number}`],
  ['GET', (number) => `/admin/api/conversations/${number}`],
  ['GET', (number) => `/admin/api/search?q=${number}`],
  ['GET', (number) => `/admin/api/messages?recipient=${number}`],
  ['GET', (number) => `/admin/api/outbox?to=${number}`],
  ['GET', (number) => `/admin/api/${number}`],
];

/** Numbers that the test used. The last nine digits are in every spelling of one but the last of `spellings`. */
function digitsOf(number: string): readonly string[] {
  return [
    number.slice(-9),
    [...number.slice(-9)].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
  ];
}

/** Waits until the lines of all requests are there. */
async function logAfter(marker: string): Promise<string> {
  await fetch(`${gateway().base_url}/api/v1/account`, {
    headers: { Authorization: `Bearer ${client.apiKey}`, 'x-amzn-RequestId': marker },
  });
  return eventually(async () => {
    const lines = await everyLog();
    return lines.length > 0 ? lines.join('\n') : undefined;
  });
}

async function expectNowhere(numbers: Iterable<string>): Promise<void> {
  const log = await logAfter('privacy');
  expect(log).toContain('"message":"request"');
  const found = [...numbers].filter((number) => digitsOf(number).some((digits) => log.includes(digits)));
  expect(found).toEqual([]);
}

describe('a phone number', () => {
  it('of a path or a query is in no log, in any spelling, whatever the response', async () => {
    const used: string[] = [];
    const token = await adminToken();
    for (const [method, path] of paths) {
      for (const spell of Object.values(spellings)) {
        const number = freshNumber();
        used.push(number);
        const address = path(spell(number));
        for (const credential of [address.startsWith('/admin/api') ? token : client.apiKey, 'sk-unknown']) {
          const response = await fetch(`${gateway().base_url}${address}`, {
            method,
            headers: { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
            ...(method === 'PUT' ? { body: '{}' } : {}),
          });
          await response.arrayBuffer();
          expect([method, address, response.status]).toEqual([
            method,
            address,
            response.status < 500 && response.status,
          ]);
        }
      }
    }
    await expectNowhere(used);
  });

  it('of a message, a one-time password, a reply or a body that is refused is in no log', async () => {
    const used: string[] = [];
    const next = () => {
      used.push(freshNumber());
      return used.at(-1) ?? '';
    };
    const sent = [
      await client.send({ to: next(), reference: next(), message: `Call ${next()}` }),
      await client.send({ to: next(), type: 'text', message: 'Hi' }, '/api/v1/whatsapp/send'),
    ];
    await client.post('/api/v1/sms/bulk', { message: 'Hi', recipients: [next(), `${next()}x`, next()] });
    const otp = await client.post('/api/v1/otp/send', { to: next() });
    await client.post('/api/v1/otp/verify', { otp_id: otp.body.otp_id, code: '000000' });
    await client.post('/api/v1/otp/verify', { to: next(), code: '000000' });
    await client.call('POST', '/api/v1/sms/send', { body: { to: next(), message: 5, [next()]: next() } });
    await client.post('/api/v1/sms/send', { to: next(), message: 'Hi' }, next().slice(1));
    const raw = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${gateway().base_url}/api/v1/sms/send`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${client.apiKey}`, 'Content-Type': 'application/json', ...headers },
        body,
      });
    expect((await raw(`{"to":"${next()}",}`)).status).toBe(400);
    expect((await raw(`to=${next()}`, { 'Content-Type': `text/${next().slice(1)}` })).status).toBe(415);
    const from = next();
    const reply = { channel: 'sms', from, to: next(), text: `STOP ${next()}` };
    const token = await adminToken();
    const inbound = await fetch(`${gateway().base_url}/admin/api/inbound`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(reply),
    });
    expect(inbound.status).toBe(200);
    for (const id of sent) await client.statusOnce(id, 'delivered');
    await expectNowhere(used);
  });
});
