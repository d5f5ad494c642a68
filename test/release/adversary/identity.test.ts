/** Identity: who a request is from is decided by its own credential, whatever else is sent at the same time. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CryptoKey, decodeJwt, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { freshNumber, outboxOnce } from '../../support/carrier/outbox.ts';
import { tokenThatExpires } from '../../support/clients/signed-token.ts';
import { call, newClient, type TestClient, tokenOf } from '../../support/http/client.ts';

let client: TestClient;
let token: string;
beforeAll(async () => {
  client = await newClient();
  token = await tokenOf(client.clientId, client.clientSecret);
});

/** Where requests with any of these credentials go at once, so that new instances serve some of them. */
const paths = ['/api/v1/messages', '/api/v1/account', '/api/v1/webhook-endpoints', '/api/v1/suppressions'];

describe('a valid token', () => {
  let foreignKey: CryptoKey;
  let claims: JWTPayload;
  beforeAll(async () => {
    ({ privateKey: foreignKey } = await generateKeyPair('ES256'));
    claims = decodeJwt(token);
  });

  /** As ours in everything but the key, which nobody published. */
  const invented = (kid: unknown) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: kid as string })
      .sign(foreignKey);
  const randomKid = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');

  async function amongJunk(credential: string, junk: readonly string[]): Promise<void> {
    for (const path of paths) {
      const statuses = await Promise.all(
        junk.map(async (one) => {
          const [refused, admitted] = await Promise.all([
            call('GET', path, { credential: one }),
            call('GET', path, { credential }),
          ]);
          // Junk counts on its address, whose limit it may use up.
          expect([401, 429]).toContain(refused.status);
          return admitted.status;
        }),
      );
      expect([path, ...statuses]).toEqual([path, ...junk.map(() => 200)]);
    }
  }

  it.each([
    ['keys that nobody published', randomKid],
    ['keys that are no text of ours', () => ({ $ne: null })],
    ['no key', () => undefined],
    ['keys one letter from ours', () => `A${randomKid().slice(1)}`],
  ])('is accepted among tokens that name %s', async (_what, kid) => {
    await amongJunk(token, await Promise.all(Array.from({ length: 12 }, () => invented(kid()))));
  });

  it('is accepted among API keys, schemes and texts that are no credentials', async () => {
    const junk = [
      `sk-${randomKid()}`,
      'x'.repeat(3000),
      'a.b.c',
      `${token}x`,
      `${token.slice(0, -9)}AAAAAAAAA`,
    ];
    await amongJunk(token, junk);
  });

  it('of a key that was published a moment ago is accepted from its first second, also among invented keys', async () => {
    const flood = Promise.all(
      Array.from({ length: 30 }, async () =>
        call('GET', paths[0] ?? '', { credential: await invented(randomKid()) }),
      ),
    );
    const fresh = await tokenThatExpires(600, token);
    await amongJunk(fresh, await Promise.all(Array.from({ length: 12 }, () => invented(randomKid()))));
    for (const { status } of await flood) expect([401, 429]).toContain(status);
  });
});

describe('a one-time password', () => {
  it('is verified by nobody who names another recipient, another purpose or another client', async () => {
    const [to, other] = [freshNumber(), freshNumber()];
    const stranger = await newClient();
    const sent = await client.post('/api/v1/otp/send', { to, purpose: 'login' });
    expect((await client.post('/api/v1/otp/send', { to: other, purpose: 'login' })).status).toBe(202);
    const [entry] = await outboxOnce(to, 1);
    const code = /\d{6}/.exec(entry?.body ?? '')?.[0] ?? '';
    const { otp_id } = sent.body;
    const attacks = [
      { otp_id, to: other },
      { otp_id, purpose: 'payment' },
      { otp_id, purpose: 'default' },
      { otp_id, to: other, purpose: 'login' },
      { otp_id, to, purpose: 'payment' },
      { to, purpose: 'payment' },
      { to },
    ];
    for (const named of attacks) {
      const refused = await client.post('/api/v1/otp/verify', { ...named, code });
      expect([named, refused.status, refused.body.error]).toEqual([named, 404, 'not_found']);
    }
    for (const named of [{ otp_id }, { otp_id, to }, { to, purpose: 'login' }]) {
      const refused = await stranger.post('/api/v1/otp/verify', { ...named, code });
      expect([named, refused.status, refused.body.error]).toEqual([named, 404, 'not_found']);
    }
    const spelled = { otp_id, to: to.replace('+44', '+440'), purpose: 'login', code };
    expect((await client.post('/api/v1/otp/verify', spelled)).body).toMatchObject({ verified: true });
  });
});
