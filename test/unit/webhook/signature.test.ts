import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { WebhookSecret } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { signatureHeaders } from '../../../shared/webhook/deliver/sign-and-post.ts';

// The library compares the timestamp with the current time.
const now = new Date();
const body = '{"event":"sms.delivered","data":{"reference":"Grüße 👋 \\u2028"}}';
const oldText = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const newText = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

function secret(text: string, ageHours: number, expiresInSeconds?: number): WebhookSecret {
  const created_at = addSeconds(now, -ageHours * 3600).toISOString();
  return expiresInSeconds === undefined
    ? { secret: text, created_at }
    : { secret: text, created_at, expires_at: addSeconds(now, expiresInSeconds).toISOString() };
}

const before = [secret(oldText, 900)];
const during = [secret(newText, 1), secret(oldText, 900, 3600)];
const after = [secret(newText, 25), secret(oldText, 900, -1)];
const sign = (secrets: readonly WebhookSecret[]) => signatureHeaders('whd_1', body, secrets, now);
const plain = (text: string) => createHmac('sha256', text).update(Buffer.from(body, 'utf8')).digest('hex');

function accepts(text: string, secrets: readonly WebhookSecret[]): boolean {
  try {
    new Webhook(text).verify(body, sign(secrets));
    return true;
  } catch {
    return false;
  }
}

describe('Standard Webhooks', () => {
  it.each([
    ['before', before, true, false],
    ['during', during, true, true],
    ['after', after, false, true],
  ] as const)(
    '%s a rotation its library accepts the live secrets and no other',
    (_when, secrets, old, fresh) => {
      expect(accepts(oldText, secrets)).toBe(old);
      expect(accepts(newText, secrets)).toBe(fresh);
    },
  );

  it('does not match another body', () => {
    expect(() => new Webhook(oldText).verify(`${body} `, sign(before))).toThrow();
  });
});

describe('X-Webhook-Signature', () => {
  it.each([
    ['before', before, oldText],
    ['during', during, oldText],
    ['after', after, newText],
  ] as const)(
    '%s a rotation is the hex HMAC-SHA256 of the raw bytes under the whole secret',
    (_w, secrets, text) => {
      expect(sign(secrets)['x-webhook-signature']).toBe(plain(text));
    },
  );

  it('uses the oldest secret, in any order of the row', () => {
    expect(sign(during.toReversed())['x-webhook-signature']).toBe(plain(oldText));
  });

  it('is never made without a live secret', () => {
    expect(() => sign([secret(oldText, 900, -1)])).toThrow('no live webhook secret');
  });
});
