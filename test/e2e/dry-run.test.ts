/** `?dry_run=true` on the four sends: what would be sent and what would refuse it, with nothing stored or sent. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { freshNumber } from '../support/carrier/outbox.ts';
import { documentClient, gateway } from '../support/gateway/gateway.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { newClient, type TestClient } from '../support/http/client.ts';

const message = 'Hello';
/** At the local stage's prices. */
const segmentPrice = 0.0042;

const listed = async (client: TestClient): Promise<number> =>
  ((await client.call('GET', '/api/v1/messages')).body.messages as unknown[]).length;

async function withSender(clientId: string, destination: string, identity: string): Promise<void> {
  const dynamo = documentClient();
  await dynamo.send(
    new PutItemCommand({
      TableName: gateway().tables.senders,
      Item: { client_id: { S: clientId }, destination: { S: destination }, identity: { S: identity } },
    }),
  );
  dynamo.destroy();
}

describe('a dry run', () => {
  it.each([
    [
      '/api/v1/sms/send',
      () => ({ to: freshNumber(), message: `${message} ☺`.repeat(20) }),
      {
        encoding: 'UCS-2',
        segments: 3,
        ucs2: {
          characters: Array.from({ length: 10 }, (_, index) => ({
            character: '☺',
            code: 'U+263A',
            position: 6 + 7 * index,
            replacement: null,
          })),
          more: 10,
          gsm7_segments: null,
          gsm7_estimated_cost: null,
        },
      },
    ],
    [
      '/api/v1/otp/send',
      () => ({ to: freshNumber(), template: `It’s {{code}}${'.'.repeat(90)}` }),
      {
        encoding: 'UCS-2',
        segments: 2,
        ucs2: {
          characters: [{ character: '’', code: 'U+2019', position: 2, replacement: "'" }],
          more: 0,
          gsm7_segments: 1,
          gsm7_estimated_cost: segmentPrice,
        },
      },
    ],
    ['/api/v1/otp/send', () => ({ to: freshNumber() }), { encoding: 'GSM-7', segments: 1 }],
  ] as const)(
    'of %s says sender, encoding, segments and cost, and stores nothing',
    async (path, body, sms) => {
      const client = await newClient();
      await withSender(client.clientId, 'sms GB', 'ACME');
      const request = body();
      const response = await client.post(`${path}?dry_run=true`, request);
      expect([response.status, response.body]).toEqual([
        200,
        {
          dry_run: true,
          would_be_accepted: true,
          channel: 'sms',
          recipient: request.to,
          from: 'ACME',
          ...sms,
          estimated_cost: sms.segments * segmentPrice,
          currency: 'USD',
          refusals: [],
          unknown_fields: [],
        },
      ]);
      expect(response.headers.get('x-ratelimit-remaining')).toBeDefined();
      expect(await listed(client)).toBe(0);
      // The same key is free for the request itself.
      await client.post(`${path}?dry_run=true`, request, 'k');
      expect((await client.post(path, request, 'k')).status).toBe(202);
      expect(await listed(client)).toBe(1);
    },
  );

  it('of a bulk shows each message and each refused row, and who would not get theirs, and stores nothing', async () => {
    const client = await newClient();
    await withSender(client.clientId, 'sms FR', 'ACME-FR');
    const [to, suppressed] = [freshNumber(), freshNumber()];
    expect((await client.call('PUT', `/api/v1/suppressions/${encodeURIComponent(suppressed)}`)).status).toBe(
      200,
    );
    const { status, body } = await client.post('/api/v1/sms/bulk?dry_run=true', {
      message,
      recipients: [{ to, message: 'It’s here' }, '+33612345678', '+33', suppressed],
    });
    const segments = { encoding: 'GSM-7', segments: 1 };
    const each = { ...segments, estimated_cost: segmentPrice };
    const fails = { ...segments, estimated_cost: 0, would_fail_with: 'recipient_opted_out' };
    expect([status, body]).toMatchObject([
      200,
      {
        dry_run: true,
        would_be_accepted: true,
        total: 4,
        accepted: 3,
        rejected: 1,
        segments: 3,
        estimated_cost: 2 * segmentPrice,
        messages: [
          {
            index: 0,
            recipient: to,
            from: null,
            ...each,
            encoding: 'UCS-2',
            ucs2: { characters: [{ position: 2 }], gsm7_segments: 1, gsm7_estimated_cost: segmentPrice },
          },
          { index: 1, recipient: '+33612345678', from: 'ACME-FR', ...each },
          { index: 3, recipient: suppressed, from: null, ...fails },
        ],
        errors: [{ index: 2, error: 'invalid_recipient' }],
        refusals: [],
        unknown_fields: [],
      },
    ]);
    expect(await listed(client)).toBe(0);
    // It was suppressed for messages, not for one-time passwords.
    const otp = await client.post('/api/v1/otp/send?dry_run=true', { to: suppressed });
    expect(otp.body).not.toHaveProperty('would_fail_with');
    const sms = await client.post('/api/v1/sms/send?dry_run=true', { to: suppressed, message });
    expect(sms.body).toMatchObject({ would_be_accepted: true, ...fails });
  });

  it('names every reason to refuse the request at once, each as the request itself is refused', () =>
    withinOne('month', async () => {
      const client = await newClient({ senders: ['ANYNAME'], caps: { messages: { per_month: 1 } } });
      const sms = { to: freshNumber(), message };
      expect((await client.post('/api/v1/sms/send', { ...sms, from: 'ANYNAME' })).status).toBe(202);
      const { body } = await client.post('/api/v1/sms/send?dry_run=true', sms);
      expect(body).toMatchObject({
        would_be_accepted: false,
        refusals: [
          { status: 403, error: 'forbidden' },
          { status: 429, error: 'message_limit_reached', retry_after: expect.any(Number) },
        ],
      });
      const [forbidden, full] = body.refusals as { message: string }[];
      const first = await client.post('/api/v1/sms/send', sms);
      expect([first.status, first.body.message]).toEqual([403, forbidden?.message]);
      const second = await client.post('/api/v1/sms/send', { ...sms, from: 'ANYNAME' });
      expect(second.status).toBe(429);
      const withoutTime = (text: unknown) => String(text).replace(/\d+ seconds?/, '');
      expect(withoutTime(second.body.message)).toBe(withoutTime(full?.message));
      expect(await listed(client)).toBe(1);
    }));

  it.each([
    ['/api/v1/otp/send', (to: string) => ({ to })],
    ['/api/v1/whatsapp/send', (to: string) => ({ to, message })],
    ['/api/v1/sms/bulk', (to: string) => ({ message, recipients: [to] })],
  ])('says that a cap is full: %s', (path, bodyTo) =>
    withinOne('month', async () => {
      const client = await newClient({ caps: { messages: { per_month: 1 } } });
      await client.send({ to: freshNumber(), message });
      const { body } = await client.post(`${path}?dry_run=true`, bodyTo(freshNumber()));
      expect(body).toMatchObject({ refusals: [{ status: 429, error: 'message_limit_reached' }] });
    }),
  );

  it.each(['?dry_run=1', '?dry_run=', '?dryrun=true'])(
    'is refused with 400 if it is misspelled, and nothing is sent: %s',
    async (query) => {
      const [, field] = /^\?(\w+)=/.exec(query) ?? [];
      const client = await newClient();
      const { status, body } = await client.post(`/api/v1/sms/send${query}`, { to: freshNumber(), message });
      expect([status, body]).toMatchObject([400, { details: [{ field }] }]);
      expect(await listed(client)).toBe(0);
    },
  );
});
