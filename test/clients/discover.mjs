/** Discovery, a token, and its verification, by the libraries that services use. */
import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';

const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
for (const algorithm of ['oidc', 'oauth2']) {
  const options = { algorithm, execute: [client.allowInsecureRequests] };
  const found = await client.discovery(new URL(BASE_URL), CLIENT_ID, CLIENT_SECRET, undefined, options);
  const { access_token } = await client.clientCredentialsGrant(found, { scope: 'messages' });
  const request = new Request(BASE_URL, { headers: { Authorization: `Bearer ${access_token}` } });
  const { aud } = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString());
  const claims = await oauth.validateJwtAccessToken(found.serverMetadata(), request, aud, {
    [oauth.allowInsecureRequests]: true,
  });
  assert.equal(claims.client_id, CLIENT_ID);
}
