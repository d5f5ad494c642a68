/**
 * POST /api/v1/auth/token: returns an access token for a client's id and secret. Only this function may sign tokens.
 */
import { randomUUID } from 'node:crypto';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { clientDirectory, dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { routes } from '../shared/contract/routes.ts';
import {
  authenticateByCredentials,
  tokenRequestFormats,
} from '../shared/http/authenticate-by-credentials.ts';
import { publicHttpDependencies } from '../shared/http/guards.ts';
import { publicHttpFunction } from '../shared/http/http-function.ts';
import { overridesFrom } from '../shared/limit/read-overrides.ts';
import { dynamo, kms } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { issueToken } from '../shared/token/issue-token.ts';
import { dynamoSigningKeyStore } from '../shared/token/signing-keys.dynamo.ts';
import { kmsTokenSigner } from '../shared/token/token-signer.kms.ts';

const env = environmentOf<'issue-token'>();
const signingKeys = dynamoSigningKeyStore(dynamo(), env.SIGNING_KEYS_TABLE);
const issuing = {
  signer: kmsTokenSigner(kms(), env.TOKEN_SIGNING_KEY_ID, signingKeys, systemClock),
  issuer: env.TOKEN_ISSUER,
  audience: env.TOKEN_AUDIENCE,
  newTokenId: randomUUID,
  activityLog: activityLogFrom(env),
};
const noApiKeys = { find: async () => undefined };
const clients = clientDirectory(dynamoClientStore(dynamo(), env.CLIENTS_TABLE), noApiKeys, systemClock);

const overrides = overridesFrom(env);

export const handler = publicHttpFunction(routes.issueToken, (request) => issueToken(issuing, request), {
  dependencies: {
    ...publicHttpDependencies(env, overrides.limitsOf),
    inMaintenance: overrides.inMaintenance,
  },
  authenticate: authenticateByCredentials(clients),
  formats: tokenRequestFormats,
  headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache' },
  oauthErrors: true,
});
