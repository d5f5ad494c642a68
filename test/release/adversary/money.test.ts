/** Money: no request costs more than the limits, the caps and the lists of countries allow. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../../support/gateway/gateway.ts';
import { withinOne } from '../../support/gateway/within-one-period.ts';
import { adminToken, call, newClient, requestToken, type TestClient } from '../../support/http/client.ts';
import { inSeconds } from '../../support/http/expected-responses.ts';
import { putLimits } from '../../support/rate-limit/put-limits.ts';

describe('a number of no country', () => {
  /** Satellite, international freephone and premium numbers. */
  const numbers = ['+881612345678', '+870301234567', '+883510012345678', '+80012345678', '+979123456789'];
  let client: TestClient;
  beforeAll(async () => {
    client = await newClient();
  });

  it.each(numbers)('is refused by every send, its dry run and its fallback: %s', async (to) => {
    const attacks: [path: string, body: object][] = [
      ['/api/v1/sms/send', { to, message: 'x' }],
      ['/api/v1/sms/send?dry_run=false', { to, message: 'x', from: 'ACME' }],
      [
        '/api/v1/sms/send',
        { to, message: 'x', scheduled_at: new Date(Date.now() + 3_600_000).toISOString() },
      ],
      ['/api/v1/sms/send', { to, message: 'x', fallback: [{ channel: 'whatsapp' }] }],
      ['/api/v1/whatsapp/send', { to, message: 'x' }],
      ['/api/v1/otp/send', { to }],
      ['/api/v1/otp/send', { to, channel: 'whatsapp' }],
    ];
    for (const [path, body] of attacks) {
      const refused = await client.post(path, body);
      expect([path, refused.status, refused.body.error]).toEqual([path, 403, 'forbidden']);
    }
    const dryRun = await client.post('/api/v1/sms/send?dry_run=true', { to, message: 'x' });
    expect(dryRun.body.refusals).toMatchObject([{ error: 'forbidden' }]);
    const bulk = await client.post('/api/v1/sms/bulk', { message: 'x', recipients: [to, '+447700900123'] });
    expect([bulk.status, bulk.body.accepted, bulk.body.errors]).toMatchObject([
      202,
      1,
      [{ to, error: 'forbidden' }],
    ]);
  });
});

describe('a text', () => {
  /** At the local stage's price of a segment. */
  const costOf = (segments: number): number => Math.round(segments * 4200) / 1e6;
  /** Each 1,600 characters, and what it takes at least: a grapheme may be longer than a part. */
  const texts: readonly (readonly [what: string, text: string])[] = [
    ['one letter with 1,599 accents', `a${'\u0301'.repeat(1599)}`],
    ['one Cyrillic letter with 1,599 signs', `ж${'\u0489'.repeat(1599)}`],
    ['one Devanagari syllable', 'क्'.repeat(800)],
    ['one Hangul syllable of leading letters', 'ᄀ'.repeat(1600)],
    ['one family of 800 people', '👩\u200d'.repeat(800)],
    ['one flag of tags', `🏴${'\u{e0067}'.repeat(1599)}`],
    ['Zalgo', `Z${'\u0335\u0322\u034a'.repeat(533)}`],
    ['joiners', `a${'\u200d'.repeat(1599)}`],
    ['Chinese', '漢'.repeat(1600)],
    ['pairs of surrogates', '𝔘'.repeat(1600)],
    ['GSM-7 of two septets', '€'.repeat(1600)],
  ];
  const leastSegments = (text: string): number =>
    text.startsWith('€') ? Math.ceil((2 * text.length) / 153) : Math.ceil(text.length / 67);

  it.each(texts)(
    'costs no fewer segments than its code units need, in every send: %s',
    async (_what, text) => {
      const client = await newClient({
        caps: { spend: { per_month: costOf(leastSegments(text) - 0.5) } },
      });
      const most = [...text].slice(0, 1500).join('');
      const attacks: [path: string, body: object][] = [
        ['/api/v1/sms/send', { to: freshNumber(), message: text }],
        ['/api/v1/sms/send', { to: freshNumber(), message: text, scheduled_at: inSeconds(3600) }],
        ['/api/v1/sms/send', { to: freshNumber(), message: text, fallback: [{ channel: 'sms' }] }],
        ['/api/v1/sms/bulk', { message: text, recipients: [freshNumber()] }],
        ['/api/v1/sms/bulk', { recipients: [{ to: freshNumber(), message: text }] }],
        [
          '/api/v1/sms/bulk',
          { message: '{{x}}', recipients: [{ to: freshNumber(), variables: { x: text } }] },
        ],
      ];
      for (const [path, body] of attacks) {
        const refused = await client.post(path, body);
        expect([path, refused.status, refused.body.error]).toEqual([path, 429, 'spend_limit_reached']);
      }
      const dryRun = await client.post('/api/v1/otp/send?dry_run=true', {
        to: freshNumber(),
        template: `${most}{{code}}`,
      });
      expect(Number(dryRun.body.segments)).toBeGreaterThanOrEqual(leastSegments(most));
    },
  );
});

describe('another spelling of a number', () => {
  const lines: readonly (readonly [number: string, spellings: readonly string[]])[] = [
    ['+6581234567', ['+65081234567', '+650081234567', '+6500081234567']],
    ['+62812345678', ['+620812345678', '+6200812345678', '+62000812345678']],
    ['+819012345678', ['+8109012345678', '+81009012345678']],
    ['+821020000000', ['+8201020000000', '+82001020000000']],
    ['+56221234567', ['+560221234567', '+5600221234567']],
    ['+61412345678', ['+610412345678', '+61000412345678']],
    ['+41781234567', ['+410781234567', '+41000781234567']],
    ['+46701234567', ['+460701234567', '+46000701234567']],
    ['+420601123456', ['+4200601123456', '+42000601123456', '+420000601123456']],
    ['+306912345678', ['+3006912345678', '+30006912345678']],
    ['+447950000001', ['+4407950000001', '+44007950000001']],
  ];

  it.each(lines)('has no limit of its own, and passes no suppression: %s', async (number, spellings) => {
    const client = await newClient();
    for (let sends = 0; sends < 5; sends += 1)
      expect((await client.post('/api/v1/otp/send', { to: number, purpose: `p${sends}` })).status).toBe(202);
    const suppressed = `/api/v1/suppressions/${encodeURIComponent(number)}`;
    expect((await client.call('PUT', suppressed, { body: {} })).status).toBeLessThan(300);
    for (const to of spellings) {
      const otp = await client.post('/api/v1/otp/send', { to });
      expect([to, [400, 429].includes(otp.status)]).toEqual([to, true]);
      const sms = await client.post('/api/v1/sms/send?dry_run=true', { to, message: 'x' });
      if (sms.status !== 400)
        expect([to, sms.body]).toMatchObject([
          to,
          { recipient: number, would_fail_with: 'recipient_opted_out' },
        ]);
      const bulk = await client.post('/api/v1/sms/bulk?dry_run=true', {
        message: 'x',
        recipients: [number, to],
      });
      expect([to, bulk.body]).toMatchObject([to, { accepted: 1 }]);
    }
  });
});

describe('a one-time password', () => {
  it('of a key that another request has costs and counts nothing, also at the same moment', async () => {
    const client = await newClient({ caps: { messages: { per_month: 5 } } });
    const [one, other] = [freshNumber(), freshNumber()];
    const bodies = Array.from({ length: 12 }, (_, index) => ({
      to: index % 2 === 0 ? one : other,
      purpose: `p${index}`,
    }));
    const responses = await Promise.all(bodies.map((body) => client.post('/api/v1/otp/send', body, 'k')));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const { status } of responses) expect([202, 422, 429]).toContain(status);
    // Four are left of the cap, and of the recipient that lost none is used.
    const winner = bodies[responses.findIndex(({ status }) => status === 202)];
    const loser = winner?.to === one ? other : one;
    for (let sends = 0; sends < 4; sends += 1)
      expect((await client.post('/api/v1/otp/send', { to: loser, purpose: `q${sends}` })).status).toBe(202);
    expect((await client.post('/api/v1/otp/send', { to: loser })).body.error).toBe('message_limit_reached');
  });

  it('that is refused for its recipient takes nothing from the caps', async () => {
    const client = await newClient({ caps: { messages: { per_month: 6 } } });
    const to = freshNumber();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.post('/api/v1/otp/send', { to, purpose: `p${index}` })),
    );
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(5);
    expect((await client.post('/api/v1/sms/send', { to, message: 'x' })).status).toBe(202);
    expect((await client.post('/api/v1/sms/send', { to, message: 'x' })).body.error).toBe(
      'message_limit_reached',
    );
  });

  /** Numbers of nine countries, whose ranges have a hundred thousand each. */
  const ranges = ['+33612', '+4915123', '+34612', '+39312', '+4851', '+31612', '+3247', '+4670', '+35841'];
  const lengths = [12, 14, 12, 13, 12, 12, 12, 12, 12];
  const numberOf = (range: number, index: number): string => {
    const start = ranges[range] ?? '';
    return start + String(index).padStart((lengths[range] ?? 12) - start.length, '3');
  };

  const attacks: readonly (readonly [
    what: string,
    numberAt: (index: number) => string,
    channels: readonly string[],
  ])[] = [
    ['by SMS to one country', (index) => numberOf(0, index), ['sms']],
    ['by WhatsApp first and then by SMS', (index) => numberOf(0, index), ['whatsapp', 'sms']],
    ['to nine countries', (index) => numberOf(index % 9, Math.floor(index / 9)), ['sms']],
    [
      'to nine countries by WhatsApp first',
      (index) => numberOf(index % 9, Math.floor(index / 9)),
      ['whatsapp', 'sms'],
    ],
  ];

  it('that nobody verifies is held in the end, whatever its channels and countries', async () => {
    // Every 700 ms, and judged two minutes later: 172 are sent before the first is.
    const sentMax = 600;
    const held = attacks.map(async ([what, numberAt, channels]) => {
      const client = await newClient();
      for (let index = 0; index < sentMax; index += 1) {
        const next = new Promise((resolve) => setTimeout(resolve, 700));
        for (const channel of channels) {
          const { body } = await client.post('/api/v1/otp/send', { to: numberAt(index), channel });
          if (body.error === 'otp_held') return [what, 'held'];
        }
        await next;
      }
      return [what, 'never held'];
    });
    expect(await Promise.all(held)).toEqual(attacks.map(([what]) => [what, 'held']));
  });
});

describe("a day's limit that is used up", () => {
  const path = '/api/v1/sms/status/msg_00000000000000000000000000';
  const inOneRow = { perMinute: 60, perHour: 1000, perDay: 5 };
  const inFourRows = { ...inOneRow, perMinute: 120_000 };

  it.each([
    ['up', inOneRow, inFourRows],
    ['down', inFourRows, inOneRow],
  ])('is not given again when per_minute goes %s', async (_, before, after) => {
    await withinOne('day', async () => {
      const client = await newClient();
      const dynamo = documentClient();
      const table = gateway().tables.limit_overrides ?? '';
      await putLimits(dynamo, table, client.clientId, 'sms_status', before);
      const ask = (): Promise<Awaited<ReturnType<TestClient['call']>>> => client.call('GET', path);
      const first = await Promise.all(Array.from({ length: 20 }, ask));
      expect(first.filter(({ status }) => status === 404)).toHaveLength(5);
      await putLimits(dynamo, table, client.clientId, 'sms_status', after);
      dynamo.destroy();
      // Every process asks with the limits that it has read, old or new, until one shows the new ones.
      await eventually(
        async () => {
          const { status, headers } = await ask();
          expect(status).toBe(429);
          return headers.get('ratelimit-policy')?.includes(`q=${after.perMinute};w=60`) ? true : undefined;
        },
        { everyMilliseconds: 500 },
      );
      const again = await Promise.all(Array.from({ length: 20 }, ask));
      expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 429));
      const { body } = await call('GET', `/admin/api/clients/${client.clientId}/limits/explain`, {
        credential: await adminToken(),
      });
      const explained = body as {
        endpoints: { policy: string; windows: { window: string; used: number }[] }[];
      };
      const windows = explained.endpoints.find(({ policy }) => policy === 'sms_status')?.windows;
      expect(windows?.find(({ window }) => window === 'day')?.used).toBe(5);
    });
  });
});

describe('a row that blocks tokens for every client', () => {
  it('is refused, and an administrator still signs in', async () => {
    const credential = await adminToken();
    const path = '/admin/api/clients/*/limits';
    for (const endpoint of ['auth_token', 'POST /api/v1/auth/token']) {
      const refused = await call('PATCH', path, { credential, body: { endpoint, blocked: true } });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
      expect(refused.body.details).toMatchObject([{ field: 'blocked' }]);
    }
    const { client_id, client_secret } = gateway().admin;
    expect((await requestToken(client_id, client_secret)).status).toBe(200);
  });
});
