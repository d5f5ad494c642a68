/**
 * POST /api/v1/auth/token: returns an access token for a client's id and secret. Only this function may sign tokens.
 */
import { routes } from '../shared/contract/routes.ts';
import {
  authenticateByCredentials,
  tokenRequestFormats,
} from '../shared/http/authenticate-by-credentials.ts';
import { publicHttpFunction } from '../shared/http/http-function.ts';
import { kms } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { issueToken } from '../shared/token/grant-token.ts';

const context = { ...contextOf(environmentOf<'issue-token'>()), kms: kms() };

export const handler = publicHttpFunction(
  context,
  routes.issueToken,
  (request) => issueToken(context, request),
  {
    authenticate: (request) => authenticateByCredentials(context, request),
    overrides: context,
    formats: tokenRequestFormats,
    headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache' },
    oauthErrors: true,
  },
);
