/** What the facts about a client say is wrong. */
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../bin/admin/program.ts';
import { type ClientFacts, findingsOf } from '../../../shared/admin/diagnosis/diagnose-client.ts';
import { healthOf } from '../../../shared/admin/endpoint-health.ts';
import type { ExplainedEndpoint } from '../../../shared/admin/explain-limits.ts';

const at = '2026-11-20T10:00:00.000Z';

const client: ClientFacts['client'] = {
  client_id: 'client_1',
  name: 'Shop',
  scopes: ['messages'],
  disabled: false,
  webhook_url: null,
  smart_encoding: false,
  created_at: at,
  secrets: [{ created_at: at, expires_at: null }],
  countries: null,
  senders: null,
  api_keys: [],
};

function endpoint(used: number, more: Partial<ExplainedEndpoint> = {}): ExplainedEndpoint {
  return {
    endpoint: 'POST /api/v1/sms/send',
    policy: 'sms_send',
    cap: null,
    source: 'default',
    blocked: false,
    expires_at: null,
    observed: null,
    windows: [{ window: 'hour', limit: 100, from: 'default', used, resets_at: at }],
    summary: '',
    ...more,
  };
}

const outcomes = (messages: number, failed: number, expired = 0): ClientFacts['messages'] => ({
  since: '2026-11-19T00:00:00.000Z',
  messages,
  failed,
  expired,
  error_codes: failed === 0 ? [] : [{ error_code: 'carrier_rejected', meaning: null, messages: failed }],
});

const healthy: ClientFacts = {
  client,
  limits: [endpoint(79)],
  rows: [{ endpoint: 'POST /api/v1/sms/send', status: null, faults: [] }],
  holds: [],
  messages: outcomes(1000, 0),
  webhooks: [],
  managed: [],
};

const found = (more: Partial<ClientFacts>): string[] =>
  findingsOf({ ...healthy, ...more }).map(
    ({ severity, about, message }) => `${severity} ${about}: ${message}`,
  );

describe('a diagnosis', () => {
  it('names the countries whose one-time passwords are held, and the command that allows them', () => {
    const holds = [{ country: 'FR', summary: 'One-time passwords to FR are held.' }];
    expect(findingsOf({ ...healthy, holds })).toEqual([
      {
        severity: 'problem',
        about: 'otp',
        message: 'One-time passwords to FR are held.',
        country: 'FR',
        next_step: 'call allowOtps client_1 FR',
      },
    ]);
  });

  it('finds nothing wrong with a healthy client', () => {
    expect(found({})).toEqual([]);
  });

  it('finds a client that cannot sign in', () => {
    expect(found({ client: { ...client, disabled: true, secrets: [] } })).toEqual([
      'problem client: The client is disabled: all its requests are refused.',
    ]);
    const revoked = { key_id: 'key_1', client_id: 'client_1', created_at: at, revoked_at: at };
    expect(found({ client: { ...client, secrets: [], api_keys: [revoked] } })).toEqual([
      'problem client: The client has neither a secret nor an API key that is valid.',
    ]);
    const live = { ...revoked, revoked_at: null };
    expect(found({ client: { ...client, secrets: [], api_keys: [live] } })).toEqual([]);
  });

  it('finds limits and caps that are reached or nearly so, and blocked endpoints', () => {
    const spend = endpoint(100, { endpoint: 'spend', policy: null, cap: 'spend' });
    expect(found({ limits: [endpoint(80), spend] })).toEqual([
      `problem caps: The cap spend: 100 of 100 in this hour are used, until ${at}.`,
      `warning limits: POST /api/v1/sms/send: 80 of 100 in this hour are used, until ${at}.`,
    ]);
    expect(found({ limits: [endpoint(0, { blocked: true })] })).toEqual([
      'problem limits: POST /api/v1/sms/send is blocked.',
    ]);
  });

  it('finds rows that are not valid', () => {
    const faults = [{ field: 'per_minute', value: 'x', message: 'must be a number' }];
    expect(found({ rows: [{ endpoint: 'spend', status: 'invalid', faults }] })).toEqual([
      'warning limits: Its row of limit-overrides for spend is not valid: per_minute must be a number',
    ]);
    expect(found({ rows: [{ endpoint: 'spend', status: 'expired', faults }] })).toEqual([]);
  });

  it('finds failed and expired messages: a problem if they are many of at least twenty', () => {
    expect(found({ messages: outcomes(100, 9, 2) })).toEqual([
      'problem messages: 11 of 100 messages since 2026-11-19 failed or expired, most often carrier_rejected.',
    ]);
    expect(found({ messages: outcomes(100, 10) })[0]).toMatch(/^warning/);
    expect(found({ messages: outcomes(19, 19) })[0]).toMatch(/^warning/);
    expect(found({ messages: outcomes(100, 0, 1) })).toEqual([
      'warning messages: 1 of 100 messages since 2026-11-19 failed or expired.',
    ]);
  });

  const origin = 'https://a.example.com';
  const later = '2026-11-20T12:30:00.000Z';
  const webhook = (delivery_id: string, state: string, more: object = {}) =>
    ({
      ...{ delivery_id, url: `${origin}/hook`, state, attempts: 1, created_at: at },
      ...{ last_status: 500, last_error: 'not_200', ...more },
    }) as Parameters<typeof healthOf>[0][number];
  const failure = webhook('whd_1', 'failed');
  const timeout = webhook('whd_2', 'failed', { last_status: null, last_error: 'timeout' });
  const waiting = webhook('whd_3', 'retry_scheduled', { created_at: later, last_status: 503 });
  const untried = webhook('whd_4', 'pending', { created_at: later, attempts: 0, last_status: null });
  const acknowledged = webhook('whd_5', 'acknowledged', { created_at: later });
  const resend = `call resendWebhookDeliveries client_1 --since ${at}`;

  it.each([
    [
      'an endpoint that fails, before a webhook failed permanently',
      healthOf([], [untried, waiting]),
      'problem',
      `${origin} has failed since ${later}: 0 webhooks failed permanently (HTTP 503), 2 wait for a retry.`,
      'call listWebhookEndpoints client_1',
    ],
    [
      'an endpoint that fails still',
      healthOf([failure], [waiting, failure]),
      'problem',
      `${origin} has failed since ${at}: 1 webhook failed permanently (1 × HTTP 500), 1 wait for a retry.`,
      `when the endpoint is repaired: ${resend}`,
    ],
    [
      'an endpoint that recovered, with webhooks to send again',
      healthOf([failure, timeout, webhook('whd_6', 'failed')], [acknowledged, failure]),
      'warning',
      `3 webhooks to ${origin} failed permanently (2 × HTTP 500, 1 × timeout), the oldest of ${at}. It acknowledges again.`,
      resend,
    ],
    [
      'an endpoint that the latest webhooks did not use',
      healthOf([failure], []),
      'problem',
      `1 webhook to ${origin} failed permanently (1 × HTTP 500), the oldest of ${at}.`,
      resend,
    ],
  ] as const)('finds %s, with the next step', (_case, webhooks, severity, message, next_step) => {
    expect(findingsOf({ ...healthy, webhooks })).toEqual([
      { severity, about: 'webhooks', message, next_step },
    ]);
  });

  it('an endpoint that acknowledges, or was not called yet, has no time since when it fails', () => {
    expect(healthOf([], [acknowledged])).toMatchObject([
      { is_failing: false, since: null, last_error: null },
    ]);
    expect(healthOf([], [untried])).toMatchObject([{ is_failing: null, since: null, waiting: 1 }]);
    const skipped = webhook('whd_7', 'skipped');
    expect(healthOf([], [skipped])).toMatchObject([{ is_failing: null, since: null, failed: 0, waiting: 0 }]);
  });

  it('finds endpoints that the gateway disabled, not those that the client disabled', () => {
    const managed = { endpoint_id: 'whe_1', url: origin, enabled: false } as const;
    expect(
      found({
        managed: [
          { ...managed, disabled_reason: 'no_successful_delivery' },
          { ...managed, disabled_reason: 'by_client' },
        ] as never,
      }),
    ).toEqual([`problem webhooks: The endpoint whe_1 (${origin}) was disabled: no successful delivery.`]);
  });

  it('names commands that exist', async () => {
    const faults = [{ field: 'per_minute', value: 'x', message: 'must be a number' }];
    const steps = findingsOf({
      client: { ...client, secrets: [] },
      limits: [endpoint(100), endpoint(0, { blocked: true })],
      rows: [{ endpoint: 'spend', status: 'invalid', faults }],
      holds: [{ country: 'FR', summary: '' }],
      messages: outcomes(0, 0),
      webhooks: [...healthOf([], [waiting]), ...healthOf([failure], [])],
      managed: [],
    }).map(({ next_step }) => next_step);
    expect(steps).toHaveLength(7);
    for (const step of steps) {
      const words = step.split(' ');
      let usage = '';
      await runCommand([...words, '--help'], {
        out: (text) => {
          usage += text;
        },
        err: () => undefined,
      });
      expect(usage).toMatch(new RegExp(`^Usage: npm run admin -- ${words.slice(0, 2).join(' ')} `));
    }
  });
});
