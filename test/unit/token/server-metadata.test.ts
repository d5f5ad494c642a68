/** Who verifies tokens finds the key that signs before the first token, and the audience. */
import { expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import type { ApiRequest } from '../../../shared/operation/operation.ts';
import { showWellKnown } from '../../../shared/token/server-metadata.ts';
import { type PublicJwk, publicJwk } from '../../../shared/token/signing-keys.dynamo.ts';

const issuer = 'https://gateway.example';

async function wellKnown() {
  const jwk = publicJwk.parse(await exportJWK((await generateKeyPair('ES256')).publicKey));
  const published = new Map<string, PublicJwk | undefined>();
  let publications = 0;
  const operation = showWellKnown({
    issuer,
    audience: 'messaging-gateway/api',
    keys: { all: async () => published },
    publishKey: async () => {
      publications += 1;
      published.set('kid-1', jwk);
    },
  });
  return {
    show: (document: string) =>
      operation({ path: '/', pathParameters: { document } } as unknown as ApiRequest),
    publications: () => publications,
  };
}

it('the key is published by the first look at the keys, and only by it', async () => {
  const { show, publications } = await wellKnown();
  for (let look = 0; look < 2; look += 1)
    expect(await show('jwks.json')).toMatchObject({
      status: 200,
      body: { keys: [{ kid: 'kid-1', alg: 'ES256' }] },
    });
  expect(publications()).toBe(1);
});

it.each(['openid-configuration', 'oauth-authorization-server'])(
  '%s names the audience of tokens',
  async (document) => {
    const { show } = await wellKnown();
    expect(await show(document)).toMatchObject({ body: { issuer, audience: 'messaging-gateway/api' } });
  },
);
