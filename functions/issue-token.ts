/** POST /api/v1/auth/token: gives a client that shows its secret an access token. The only function that may sign. */
import { randomUUID } from 'node:crypto';
import { dynamo, kms } from '../shared/aws.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { clientDirectory } from '../shared/client/client-store.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { identifyByCredentials, tokenRequestFormats } from '../shared/http/client-credentials.ts';
import { httpFunction } from '../shared/http.ts';
import { routes } from '../shared/routes.ts';
import { issueToken } from '../shared/token/issue-token.ts';
import { dynamoSigningKeyStore } from '../shared/token/signing-keys.dynamo.ts';
import { kmsTokenSigner } from '../shared/token/token-signer.kms.ts';

const env = readEnvironment([
  'CLIENTS_TABLE',
  'SIGNING_KEYS_TABLE',
  'TOKEN_SIGNING_KEY_ID',
  'TOKEN_ISSUER',
  'TOKEN_AUDIENCE',
]);
const signingKeys = dynamoSigningKeyStore(dynamo(), env.SIGNING_KEYS_TABLE);
const parts = {
  signer: kmsTokenSigner(kms(), env.TOKEN_SIGNING_KEY_ID, signingKeys, systemClock),
  issuer: env.TOKEN_ISSUER,
  audience: env.TOKEN_AUDIENCE,
  newTokenId: randomUUID,
};
const noApiKeys = { find: async () => undefined };
const clients = clientDirectory(dynamoClientStore(dynamo(), env.CLIENTS_TABLE), noApiKeys, systemClock);

export const handler = httpFunction(routes.issueToken, (request) => issueToken(parts, request), {
  identify: identifyByCredentials(clients),
  formats: tokenRequestFormats,
  headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache' },
  oauthErrors: true,
});
