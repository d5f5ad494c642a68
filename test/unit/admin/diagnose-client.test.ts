/** What the facts about a client say is wrong. */
import { describe, expect, it } from '@jest/globals';
import { type ClientFacts, findingsOf } from '../../../shared/admin/diagnose-client.ts';
import type { ExplainedEndpoint } from '../../../shared/admin/explain-limits.ts';

const at = '2026-11-20T10:00:00.000Z';

const client: ClientFacts['client'] = {
  client_id: 'client_1',
  name: 'Shop',
  scopes: ['messages'],
  disabled: false,
  webhook_url: null,
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
    windows: [{ window: 'hour', limit: 100, from: 'default', used, resets_at: at }],
    first_reached: null,
    summary: '',
    status: null,
    status_message: null,
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
  rows: [{ endpoint: 'POST /api/v1/sms/send', faults: [] }],
  holds: [],
  messages: outcomes(1000, 0),
  webhooks: [],
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
        next_step: 'otp allow client_1 FR',
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
    expect(found({ rows: [{ endpoint: 'spend', faults }] })).toEqual([
      'warning limits: Its row of limit-overrides for spend is not valid: per_minute must be a number',
    ]);
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

  it('finds endpoints whose webhooks failed, with the command that resends them', () => {
    const webhooks = [{ origin: 'https://a.example.com', failed: 3, since: at, last_error: 'HTTP 500' }];
    expect(findingsOf({ ...healthy, webhooks })).toEqual([
      {
        severity: 'problem',
        about: 'webhooks',
        message: `3 webhooks to https://a.example.com failed for good, the oldest of ${at}: HTTP 500.`,
        next_step: 'webhooks resend --all-failed --client client_1',
      },
    ]);
  });
});
