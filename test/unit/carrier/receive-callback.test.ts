/** A callback is verified before it is read, and what fails changes nothing (contract 16.5). */
import { createHmac, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { convertToNative } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { carrierReports } from '../../../shared/carrier/carrier-reports.ts';
import { carrierSecrets } from '../../../shared/carrier/carrier-secrets.secrets.ts';
import {
  callbackBytesMax,
  callbackOperations,
  readReport,
  type StoredCallback,
} from '../../../shared/carrier/receive-callback.ts';
import { carrierRoutes } from '../../../shared/contract/routes.ts';
import { publicHttpFunction } from '../../../shared/http/http-function.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { strictSqs } from '../../support/engine/strict-sqs.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { created } from '../../support/message/example-message.ts';

const baseUrl = 'https://gateway.example.com';
const credentials = (auth_token: string) => ({ account_sid: 'AC1', auth_token, from: 'ACME' });
const path = '/carriers/twilio/receipts/msg_01KAG00000000000000000000A.1';
const form = 'MessageSid=SM1&MessageStatus=delivered';

function signed(token: string, body = form, at = path): string {
  const fields = [...new URLSearchParams(body)].toSorted().flat().join('');
  return createHmac('sha1', token).update(`${baseUrl}${at}${fields}`).digest('base64');
}

function aGateway(secret: unknown = credentials('token')) {
  let now = created;
  let stored: string | undefined = JSON.stringify(secret);
  const queue: StoredCallback[] = [];
  const refusals: Error[] = [];
  const counted: string[] = [];
  const sqs = strictSqs({
    deliver: (_url, { MessageBody = '' }) => void queue.push(JSON.parse(MessageBody)),
    fault: () => refusals.shift(),
  });
  const { authenticate, receive } = callbackOperations(
    testContext(undefined, { sqs: () => sqs, env: { TOKEN_ISSUER: baseUrl } }),
    carrierReports,
    carrierSecrets(
      {
        send: async () => {
          if (stored === undefined) throw new Error('no connection');
          return { SecretString: stored };
        },
      } as never,
      { arns: '{"twilio":"arn","infobip":"arn","meta":"arn"}', baseUrls: false },
      () => now,
    ),
  );
  const tables = inMemoryTables({
    around: ({ input }) => {
      counted.push(convertToNative(Object(input.Key).counter) as string);
      return { Attributes: {} };
    },
  });
  const handler = publicHttpFunction(
    testContext(tables, { clock: () => now }),
    carrierRoutes.carrierCallback,
    receive,
    { authenticate, formats: [] },
  );
  return {
    queue,
    refusals,
    counted,
    change(next: unknown) {
      stored = JSON.stringify(next);
      now = addSeconds(now, 60);
    },
    async call(
      change: {
        body?: string | Buffer;
        at?: string;
        signature?: string;
        base64?: boolean;
        method?: string;
        headers?: Record<string, string>;
      } = {},
    ) {
      const {
        body = form,
        at = path,
        signature = signed('token', body.toString(), at),
        base64 = false,
        method = 'POST',
        headers = {
          'X-Twilio-Signature': signature,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
      } = change;
      const response = await handler(
        {
          httpMethod: method,
          path: at,
          resource: '/carriers/{carrier}/{proxy+}',
          headers,
          queryStringParameters: null,
          multiValueQueryStringParameters: null,
          pathParameters: null,
          body: base64 ? Buffer.from(body).toString('base64') : body.toString(),
          isBase64Encoded: base64,
          requestContext: { requestId: 'request', identity: { sourceIp: '192.0.2.1' } },
        } as never,
        { getRemainingTimeInMillis: () => 10_000 } as never,
      );
      return response.statusCode;
    },
  };
}

describe('a callback that is proven', () => {
  it.each([[true], [false]])('is stored for its carrier, as base64 %s', async (base64) => {
    const { call, queue, counted } = aGateway();
    expect(await call({ base64 })).toBe(200);
    expect(queue).toHaveLength(1);
    const { receipts } = readReport(carrierReports, JSON.stringify(queue[0]));
    expect(receipts).toMatchObject([{ attempt: 1, reportedBy: ['twilio'], transition: { to: 'delivered' } }]);
    expect(counted).toEqual([]);
  });

  it('may be signed with either of two secrets, and with neither of those before', async () => {
    const gateway = aGateway([credentials('new'), credentials('old')]);
    for (const token of ['new', 'old']) expect(await gateway.call({ signature: signed(token) })).toBe(200);
    gateway.change(credentials('new'));
    expect(await gateway.call({ signature: signed('old') })).toBe(403);
    expect(await gateway.call({ signature: signed('new') })).toBe(200);
  });
});

const hmacOf = (key: string, body: string | Buffer) => createHmac('sha256', key).update(body).digest('hex');

describe('a long callback that is proven', () => {
  const secret = { phone_number_id: '1', access_token: 'a', app_secret: 'app', verify_token: 'v' };
  const metaCall = (statuses: readonly object[]) => {
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value: { statuses } }] }],
    });
    const headers = { 'X-Hub-Signature-256': `sha256=${hmacOf('app', body)}` };
    return { body, at: '/carriers/meta/webhook', headers, base64: true };
  };
  const statusOf = (more: object, index: number) => ({
    id: `wamid.${index.toString().padStart(40, '0')}`,
    status: 'delivered',
    timestamp: String(Math.floor(created.getTime() / 1000)),
    recipient_id: `4477009${index.toString().padStart(5, '0')}`,
    biz_opaque_callback_data: `msg_01KAG0000000000000000${index.toString().padStart(5, '0')}.1`,
    ...more,
  });

  it('is taken with a thousand receipts, and each of them is read', async () => {
    const { call, queue } = aGateway(secret);
    const pricing = { billable: true, pricing_model: 'PMP', category: 'utility', type: 'regular' };
    const given = metaCall(Array.from({ length: 1000 }, (_, index) => statusOf({ pricing }, index)));
    expect(given.body.length).toBeGreaterThan(256 * 1024);
    expect(await call(given)).toBe(200);
    const text = JSON.stringify(queue[0]);
    expect(text.length).toBeLessThan(256 * 1024);
    const { receipts } = readReport(carrierReports, text);
    expect(new Set(receipts.map(({ messageId }) => messageId)).size).toBe(1000);
  });

  it('is 413 where it does not fit the queue compressed', async () => {
    const { call, queue } = aGateway(secret);
    expect(await call(metaCall([statusOf({ noise: randomBytes(400_000).toString('base64') }, 1)]))).toBe(413);
    expect(queue).toEqual([]);
  });

  it('is not read where it would be longer than what is taken', () => {
    const body = gzipSync(Buffer.alloc(callbackBytesMax + 1, 32)).toString('base64');
    const stored = { carrier: 'meta', path: 'webhook', query: {}, received_at: created.toISOString() };
    expect(() => readReport(carrierReports, JSON.stringify({ ...stored, encoding: 'gzip', body }))).toThrow(
      'the compressed body cannot be read',
    );
  });
});

it('a callback with bytes that are no text is taken, and what can be read in it is', async () => {
  const { call, queue } = aGateway({ api_key: 'k', from: 'ACME', webhook_secret: 'secret' });
  const report = {
    messageId: 'msg_01KAG00000000000000000000A.1',
    status: { groupId: 3, groupName: 'DELIVERED', id: 5, name: 'DELIVERED_TO_HANDSET' },
  };
  const broken = Buffer.from([0xff, 0xfe, 0xc3]);
  const at = '/carriers/infobip/reports';
  const [before = '', after = ''] = JSON.stringify({ results: [{ no: '|' }, report] }).split('|');
  for (const body of [Buffer.concat([Buffer.from(before), broken, Buffer.from(after)]), broken])
    expect(await call({ body, at, base64: true, headers: { 'X-Signature': hmacOf('secret', body) } })).toBe(
      200,
    );
  const [first, second] = queue.map((callback) => JSON.stringify(callback));
  const { receipts, unreadable } = readReport(carrierReports, first ?? '');
  expect([receipts.length, unreadable.length]).toEqual([1, 1]);
  expect(() => readReport(carrierReports, second ?? '')).toThrow('the body is not JSON');
});

describe('a callback that is not proven', () => {
  it('is 403 where Twilio signed it for another account', async () => {
    const { call, queue } = aGateway();
    expect(await call({ body: `${form}&AccountSid=AC2` })).toBe(403);
    expect(queue).toEqual([]);
    expect(await call({ body: `${form}&AccountSid=AC1` })).toBe(200);
  });

  it('is 403, counts by address, and changes nothing, wherever it is altered', async () => {
    const { call, queue, counted } = aGateway();
    const signature = signed('token');
    for (let index = 0; index < form.length; index += 1) {
      const altered = `${form.slice(0, index)}${form[index] === 'x' ? 'y' : 'x'}${form.slice(index + 1)}`;
      expect(await call({ body: altered, signature })).toBe(403);
    }
    for (let index = 0; index < signature.length - 1; index += 1) {
      const altered = `${signature.slice(0, index)}${signature[index] === 'A' ? 'B' : 'A'}${signature.slice(index + 1)}`;
      expect(await call({ signature: altered })).toBe(403);
    }
    expect(await call({ at: `${path}0`, signature })).toBe(403);
    expect(queue).toEqual([]);
    expect(new Set(counted)).toEqual(
      new Set([`address:192.0.2.1|ANY /*|${created.toISOString().slice(0, 10)}`]),
    );
  });

  it.each([
    ['/carriers/aws/receipts', 'POST'],
    ['/carriers/nobody/receipts', 'POST'],
    [path, 'GET'],
    [path, 'DELETE'],
  ])('%s by %s is 403', async (at, method) => {
    const { call, queue } = aGateway();
    expect(await call({ at, method, signature: signed('token', form, at) })).toBe(403);
    expect(queue).toEqual([]);
  });

  it('is 403 where the secret has no credentials yet', async () => {
    const { call } = aGateway('generated');
    expect(await call()).toBe(403);
  });

  it('is 503 where the secret cannot be read, so that the carrier calls again', async () => {
    const { call, change, queue } = aGateway();
    change(undefined);
    expect(await call()).toBe(503);
    change(credentials('token'));
    expect(await call()).toBe(200);
    expect(queue).toHaveLength(1);
  });

  it.each([['RequestThrottled'], ['KmsThrottled']])(
    'is 503 where the queue refuses it by %s',
    async (name) => {
      const { call, refusals, queue } = aGateway();
      refusals.push(Object.assign(new Error('slow down'), { name, $fault: 'client' }));
      expect(await call()).toBe(503);
      expect(await call()).toBe(200);
      expect(queue).toHaveLength(1);
    },
  );

  it('is refused by its size before anything else', async () => {
    const { call, queue } = aGateway();
    const body = `${form}&Padding=${'x'.repeat(callbackBytesMax)}`;
    expect(await call({ body, signature: signed('token', body) })).toBe(413);
    expect(queue).toEqual([]);
  });
});
