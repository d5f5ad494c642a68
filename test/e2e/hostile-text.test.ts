/** What one client sends, of whatever text, changes nothing for another: its next message arrives, with its webhooks. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routes } from '../../shared/contract/routes.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { gateway, waitMaxSeconds } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { operationInputs, withValueAt } from '../support/http/operation-inputs.ts';
import { bodyOf, startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';

const texts = ['\uffff', 'a\ud800', '\u0000', '\u{1ffff}', '\u0007\ufffe', '😀'.repeat(700)];
/** Each of them starts a process of each function. */
const atOnce = 4;

let hostile: TestClient;
let receiver: WebhookEndpoint;

beforeAll(async () => {
  receiver = await startWebhookEndpoint();
  hostile = await newClient({ webhookUrl: receiver.url });
});
afterAll(() => receiver.close());

interface Seen {
  readonly status: number;
  readonly remaining: number;
}

/** As it is: no document is asked what the response may be. */
async function raw(method: string, path: string, init: RequestInit = {}): Promise<Seen> {
  const headers = { Authorization: `Bearer ${hostile.apiKey}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${gateway().base_url}${path}`, {
    method,
    ...init,
    headers: { ...headers, ...init.headers },
    signal: AbortSignal.timeout(waitMaxSeconds * 1000),
  });
  await response.arrayBuffer();
  return { status: response.status, remaining: Number(response.headers.get('x-ratelimit-remaining')) };
}

function expectNoFaultOfOurs({ status, remaining }: Seen, what: unknown): void {
  const seen = `${status}, ${remaining} left, for ${JSON.stringify(what)}`;
  expect(seen).toMatch(/^[24]/);
  if (status !== 429) expect(seen).not.toMatch(/, (0|NaN) left/);
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
    }),
  );
}

/** Webhooks to the URLs of the examples would be sent six times each, and keep every worker of the retry queue busy. */
const acknowledged = (body: unknown): unknown =>
  body === undefined
    ? undefined
    : JSON.parse(JSON.stringify(body).replaceAll(/https:\/\/example\.com\/webhooks[^"]*/g, receiver.url));

describe('text of all of Unicode', () => {
  it('in the fields of a client is answered with 2xx or 4xx', async () => {
    const cases = operationInputs(hostile.clientId)
      .filter(({ route }) => route.scope === 'messages')
      .flatMap(({ path, method, bodies: [base], fields }) =>
        fields.map((field) => ({ path, method, base: acknowledged(base), field })),
      )
      // One text for each third field, each in its turn: `unit/fuzz/requests` has any text in each.
      .filter((_place, index) => index % 3 === 0)
      .map((place, index) => ({ ...place, text: texts[index % texts.length] }));
    expect(cases.length).toBeGreaterThan(30);
    await inParallel(cases, async ({ path, method, base, field, text }) => {
      const body = withValueAt(base, field, text);
      expectNoFaultOfOurs(await raw(method, path, { body: JSON.stringify(body) }), body);
    });
  });

  it.each([
    ['GET', '/api/v1/messages?reference=%ED%A0%80', {}],
    ['GET', '/api/v1/messages?%ED%A0%80=1', {}],
    ['GET', '/api/v1/messages?__proto__=1&constructor=2', {}],
    ['GET', `/api/v1/messages?cursor=${'x'.repeat(3000)}`, {}],
    ['GET', '/api/v1/sms/status/%ED%A0%80', {}],
    ['GET', '/api/v1//sms/status/', {}],
    ['GET', '/admin/assets/%ED%A0%80', {}],
    ['GET', '/openapi.json?%ff=%ff', {}],
    ['POST', '/api/v1/sms/send', { body: new Uint8Array([0xff, 0xfe, 0x7b]) }],
    ['POST', '/api/v1/sms/send', { body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }],
    ['POST', '/api/v1/sms/send', { body: '{}', headers: { 'Idempotency-Key': '\u00ff\u0080' } }],
    ['POST', '/api/v1/sms/send', { body: '{}', headers: { Authorization: `Basic ${'x'.repeat(3000)}` } }],
    ['POST', '/api/v1/sms/send', { body: '{}', headers: { 'x-amzn-RequestId': 'x'.repeat(300) } }],
  ] as const)('outside of fields is answered with 2xx or 4xx: %s %s %j', async (method, path, init) => {
    expectNoFaultOfOurs(await raw(method, path, init), init);
  });

  it.each([
    '/api/v1/messages?reference=%ff',
    '/api/v1/messages?%ff=1',
    '/api/v1/sms/status/%ff',
    '/api/v1/suppressions/%c3%28',
    '/docs/%ff',
  ])('in a path or a query is 400 where its bytes are not UTF-8: %s', async (path) => {
    expect(await raw('GET', path)).toMatchObject({ status: 400 });
  });

  it('that is well-formed is stored and passed on unchanged, and delays no other client', async () => {
    const reference = '\uffff\u0007\u{1ffff}';
    const sends = Array.from({ length: 12 }, () => ({
      to: freshNumber(),
      message: 'Hello \uffff',
      reference,
      webhook_url: `${receiver.url}?\uffff`,
    }));
    const ids: string[] = [];
    // Without the endpoints that the hostile client may have created.
    const sender = await newClient();
    await inParallel(sends, async (body) => {
      const { status, body: answer } = await sender.post(routes.sendSms.path, body);
      expect(status).toBe(202);
      ids.push(String(answer.message_id));
    });

    const other = await newClient({ webhookUrl: receiver.url });
    const sent = await other.post(routes.sendSms.path, { to: freshNumber(), message: 'Hello' });
    const messageId = String(sent.body.message_id);
    expect(await other.statusOnce(messageId, 'delivered')).toMatchObject({ status: 'delivered' });
    expect(await receiver.eventsOnce(messageId, 2)).toEqual(['sms.delivered', 'sms.sent']);

    const [own = ''] = ids;
    expect(await sender.statusOnce(own, 'delivered')).toMatchObject({ reference });
    await receiver.eventsOnce(own, 2);
    expect(receiver.postsOf(own).map((post) => bodyOf(post).data.reference)).toEqual([reference, reference]);
  });
});
