/** A synthetic send reports what a client would see: when its message was handed over and delivered, or why not. */
import { describe, expect, it } from '@jest/globals';
import { type CallGateway, syntheticSender } from '../../../shared/client/synthetic-send.ts';

const begin = Date.parse('2026-11-20T10:00:00.000Z');
const at = (ms: number): string => new Date(begin + ms).toISOString();

/** A gateway whose messages are handed over after 600 ms and delivered after 700 ms, with what differs in a test. */
function worldWith(differs: { smsCarriers?: readonly string[]; answer?: CallGateway } = {}) {
  let ms = 0;
  const asked: { readonly path: string; readonly token: string | undefined; readonly body: unknown }[] = [];
  const secrets: string[] = [];
  const usual = (
    path: string,
  ): {
    readonly status: number;
    readonly body: unknown;
  } => {
    if (path.endsWith('/auth/token'))
      return { status: 200, body: { access_token: `token-${secrets.length}`, expires_in: 3600 } };
    if (path.endsWith('/send')) return { status: 202, body: { message_id: 'msg_1', status: 'queued' } };
    const status = { message_id: 'msg_1', created_at: at(0), sent_at: ms < 600 ? null : at(600) };
    return { status: 200, body: { ...status, status: ms < 700 ? 'sent' : 'delivered' } };
  };
  const send = syntheticSender({
    call: async (path, request) => {
      asked.push({ path, token: request.token, body: request.body });
      return (await differs.answer?.(path, request)) ?? usual(path);
    },
    clientId: 'client_synthetic',
    newSecret: async () => {
      secrets.push(`secret-${secrets.length + 1}`);
      return secrets.at(-1) ?? '';
    },
    smsCarriers: differs.smsCarriers ?? ['aws'],
    clock: () => new Date(begin + ms),
    sleep: async (waitMs) => {
      ms += waitMs;
    },
  });
  const pass = (passedMs: number): void => {
    ms += passedMs;
  };
  return { send, asked, secrets, pass };
}

/** Answers one path like this, and the others as usual. */
const only =
  (ending: string, status: number, body: unknown): CallGateway =>
  async (path) =>
    (path.includes(ending) ? { status, body } : undefined) as {
      readonly status: number;
      readonly body: unknown;
    };

describe('a synthetic send that is delivered', () => {
  it('reports when, with the token of a test secret of its own client', async () => {
    const { send, asked } = worldWith();
    expect(await send()).toEqual({
      outcome: 'delivered',
      messageId: 'msg_1',
      handOverMs: 600,
      deliveryMs: 1500,
    });
    expect(asked.map(({ path }) => path)).toEqual([
      '/api/v1/auth/token',
      '/api/v1/sms/send',
      '/api/v1/sms/status/msg_1',
      '/api/v1/sms/status/msg_1',
    ]);
    expect(asked[0]?.body).toMatchObject({ client_id: 'client_synthetic', client_secret: 'secret-1' });
    expect(asked.slice(1).map(({ token }) => token)).toEqual(['token-1', 'token-1', 'token-1']);
  });

  it('keeps its token until shortly before its end, so that secrets seldom change', async () => {
    const { send, secrets, pass } = worldWith();
    await send();
    pass(3_400_000);
    await send();
    expect(secrets).toHaveLength(1);
    pass(100_000);
    await send();
    expect(secrets).toHaveLength(2);
  });

  it('goes by WhatsApp where the gateway sends no SMS', async () => {
    const { send, asked } = worldWith({ smsCarriers: [] });
    expect(await send()).toMatchObject({ outcome: 'delivered' });
    expect(asked[1]?.path).toBe('/api/v1/whatsapp/send');
  });
});

describe('a synthetic send that fails', () => {
  it.each<[string, CallGateway, string]>([
    [
      'no token',
      only('/auth/token', 401, { error: 'invalid_client' }),
      'the request of a token is 401 invalid_client',
    ],
    ['a refused send', only('/sms/send', 429, { error: 'rate_limited' }), 'the send is 429 rate_limited'],
    ['a body of a proxy', only('/sms/send', 502, 'Bad gateway'), 'the send is 502'],
    ['no status', only('/status/', 503, { error: 'service_unavailable' }), 'the read of the status is 503'],
    [
      'a failed message',
      only('/status/', 200, { status: 'failed', created_at: at(0) }),
      'the message is failed',
    ],
    [
      'a message that stays queued',
      only('/status/', 200, { status: 'queued', created_at: at(0) }),
      'is queued after 32 s',
    ],
    [
      'no connection',
      async () => {
        throw new Error('fetch failed');
      },
      'fetch failed',
    ],
  ])('says why, and throws nothing: %s', async (_what, answer, reason) => {
    const { send } = worldWith({ answer });
    expect(await send()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining(reason) });
  });

  it('asks for another token after a 401, and for none after other refusals', async () => {
    for (const [status, made] of [
      [401, 2],
      [403, 1],
    ] as const) {
      const { send, secrets } = worldWith({ answer: only('/sms/send', status, { error: 'refused' }) });
      await send();
      await send();
      expect(secrets).toHaveLength(made);
    }
  });

  it('reads the status so seldom that a day of failures stays below the limit of a client', async () => {
    const { send, asked } = worldWith({
      answer: only('/status/', 200, { status: 'sent', created_at: at(0) }),
    });
    await send();
    const reads = asked.filter(({ path }) => path.includes('/status/')).length;
    expect(reads * 60 * 24).toBeLessThan(50_000);
  });
});
