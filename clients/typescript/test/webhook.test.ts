import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { withNewWebhookSecret } from '../../../shared/client/client-admin.ts';
import { secretActiveAfterSeconds } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { signatureHeaders } from '../../../shared/webhook/deliver/sign-and-post.ts';
import { ArgumentError, WebhookVerificationError } from '../src/errors.ts';
import { signedWebhook } from '../src/testing/signed-webhook.ts';
import { verifyWebhook } from '../src/webhook.ts';

const oldSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = JSON.stringify({
  event: 'sms.delivered',
  timestamp: '2026-11-20T10:00:03.120Z',
  data: { message_id: 'msg_1', recipient: '+447700900123', status: 'delivered', reference: 'Grüße 👋' },
});

/** As the gateway signs, `activeForSeconds` after the new secret became active. */
function signedHeaders(activeForSeconds: number): Record<string, string> {
  const now = new Date();
  const createdAt = new Date(now.getTime() - (activeForSeconds + secretActiveAfterSeconds) * 1000);
  const first = withNewWebhookSecret(oldSecret, [], new Date(createdAt.getTime() - 864_000_000));
  return signatureHeaders('whd_1', body, withNewWebhookSecret(newSecret, first, createdAt), now);
}

describe('a webhook of the gateway', () => {
  it.each([
    ['an object of Node', (headers: Record<string, string>) => headers],
    ['Headers', (headers: Record<string, string>) => new Headers(headers)],
    [
      'Headers of another implementation of fetch',
      (headers: Record<string, string>) => {
        const real = new Headers(headers);
        return { get: (name: string) => real.get(name) };
      },
    ],
    ['pairs', (headers: Record<string, string>) => Object.entries(headers)],
    [
      'a Map with names as they were sent',
      (headers: Record<string, string>) =>
        new Map(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      'an object with names as they were sent',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])),
    ],
  ])('is verified with its headers as %s', (_what, as) => {
    const verified = verifyWebhook(body, as(signedHeaders(1)), newSecret);
    // The name of the event tells its fields.
    const fields =
      verified.event === 'sms.delivered' ? [verified.data.message_id, verified.data.reference] : [];
    expect(fields).toEqual(['msg_1', 'Grüße 👋']);
    expect(verifyWebhook(Buffer.from(body), as(signedHeaders(1)), newSecret).event).toBe('sms.delivered');
  });

  it.each([
    ['before the new secret signs', -30, true, false],
    ['while both sign', 60, true, true],
    ['after the old one has ended', 90_000, false, true],
  ])(
    'is accepted with both secrets all through a rotation: %s',
    (_when, activeForSeconds, withOld, withNew) => {
      const accepted = (secrets: string | string[]): boolean => {
        try {
          return verifyWebhook(body, signedHeaders(activeForSeconds), secrets).event === 'sms.delivered';
        } catch (error) {
          if (error instanceof WebhookVerificationError) return false;
          throw error;
        }
      };
      expect([accepted(oldSecret), accepted(newSecret)]).toEqual([withOld, withNew]);
      expect(accepted([oldSecret, newSecret])).toBe(true);
      expect(accepted([newSecret, oldSecret])).toBe(true);
    },
  );
});

describe('a request that is refused', () => {
  const hoursAgo = new Date(Date.now() - 3_600_000);
  const signedAt = (at: Date) => ({
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(newSecret).sign('whd_1', at, body),
  });
  it.each<[string, string, Record<string, string>, string]>([
    ['with an altered body', body.replace('msg_1', 'msg_2'), signedHeaders(1), 'No signature'],
    ['of long ago', body, signedAt(hoursAgo), 'five minutes'],
    ['of a time to come', body, signedAt(new Date(Date.now() + 3_600_000)), 'five minutes'],
    ['without signature', body, { ...signedHeaders(1), 'webhook-signature': '' }, 'no header webhook-sign'],
    [
      'with a signature that is no base64',
      body,
      { ...signedHeaders(1), 'webhook-signature': 'v1,é' },
      'No signature',
    ],
    ['with a time that is none', body, { ...signedHeaders(1), 'webhook-timestamp': 'now' }, 'whole seconds'],
  ])('%s, with its reason', (_what, given, headers, reason) => {
    const verify = () => verifyWebhook(given, headers, [oldSecret, newSecret]);
    expect(verify).toThrow(WebhookVerificationError);
    expect(verify).toThrow(reason);
  });

  it.each<[string, string]>([
    ['something behind it', '$abc'],
    ['a fraction', '$.5'],
    ['a space before it', ' $'],
    ['a zero before it', '0$'],
  ])('with a time that has %s', (_what, form) => {
    const headers = signedHeaders(1);
    const given = form.replace('$', headers['webhook-timestamp'] ?? '');
    expect(() => verifyWebhook(body, { ...headers, 'webhook-timestamp': given }, newSecret)).toThrow(
      WebhookVerificationError,
    );
  });

  it('with other bytes than were signed: a byte order mark, or a byte that is no character', () => {
    const at = new Date();
    const signed = body.replace('msg_1', '\uFFFD');
    const headers = {
      'webhook-id': 'whd_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(newSecret).sign('whd_1', at, signed),
    };
    const bytes = Buffer.from(signed);
    expect(verifyWebhook(bytes, headers, newSecret).event).toBe('sms.delivered');
    const [before, after] = signed.split('\uFFFD').map((part) => Buffer.from(part));
    const broken = Buffer.concat([before ?? bytes, Buffer.from([0xff]), after ?? bytes]);
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    for (const given of [broken, marked])
      expect(() => verifyWebhook(given, headers, newSecret)).toThrow('No signature');
  });

  it('never is one that has a valid signature after malformed ones', () => {
    const headers = signedHeaders(1);
    for (const before of ['v1a ', 'v1,A ', ' ', 'v1,é '])
      expect(
        verifyWebhook(
          body,
          { ...headers, 'webhook-signature': `${before}${headers['webhook-signature']}` },
          newSecret,
        ).event,
      ).toBe('sms.delivered');
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['empty', ''],
    ['one of none', []],
    ['one of two that is missing', [oldSecret, undefined]],
    ['not base64', 'whsec_€'],
    ['a prefix only', 'whsec_'],
    ['too short', 'whsec_AA=='],
    ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['the text of an unset variable', 'undefined'],
    ['the text of an unset variable of Python', 'None'],
    ['base64 with a digit too many', `whsec_${'A'.repeat(33)}`],
    ['no text', 42],
  ])('never decides where the secret is %s: a typed error says what to do', (_what, secret) => {
    const verify = () => verifyWebhook(body, signedHeaders(1), secret as string);
    expect(verify).toThrow(ArgumentError);
    expect(verify).toThrow('whsec_');
  });

  it.each<[string, unknown, unknown]>([
    ['a parsed body', JSON.parse(body), signedHeaders(1)],
    ['no headers', body, undefined],
  ])('never decides about %s', (_what, given, headers) => {
    const verify = () => verifyWebhook(given as string, headers as Record<string, string>, newSecret);
    expect(verify).toThrow(ArgumentError);
  });

  it.each(['[]', 'null', '"sms.sent"', '{"event":1,"data":{}}', '{"event":"sms.sent"}', 'Hello', ''])(
    'is signed, but no event: %s',
    (text) => {
      const at = new Date();
      const headers = {
        'webhook-id': 'whd_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(newSecret).sign('whd_1', at, text),
      };
      expect(() => verifyWebhook(text, headers, newSecret)).toThrow(WebhookVerificationError);
    },
  );
});

it('a signed webhook is accepted with its secret and no other, and not when it is old', () => {
  const event = { event: 'sms.delivered', data: { message_id: 'msg_1' } };
  const signed = signedWebhook(event, newSecret, { id: 'whd_1' });
  expect(signed.headers['webhook-id']).toBe('whd_1');
  expect(verifyWebhook(signed.body, signed.headers, newSecret)).toMatchObject(event);
  expect(() => verifyWebhook(signed.body, signed.headers, oldSecret)).toThrow('No signature');
  const old = signedWebhook(event, newSecret, { at: new Date(Date.now() - 3_600_000) });
  expect(() => verifyWebhook(old.body, old.headers, newSecret)).toThrow('five minutes');
});
