/** Issues an access token to an authenticated client (contract 2.1). */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import { errorTexts, GatewayError, standardError } from '../contract/errors.ts';
import { modeOf } from '../contract/mode.ts';
import type { Scope } from '../contract/routes.ts';
import { type ApiRequest, type ApiResponse, parseBody, requireCaller } from '../operation/operation.ts';
import { epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { signToken } from './token-signer.kms.ts';
import { requestedScope, tokenLifetimeSeconds } from './verify-token.dynamo.ts';

const tokenRequest = z.object({
  grant_type: z.string(),
  scope: requestedScope,
  // Authentication has already read these two fields.
  client_id: z.optional(z.unknown()),
  client_secret: z.optional(z.unknown()),
});

export async function issueToken(
  context: Parameters<typeof signToken>[0] &
    Context<'TOKEN_ISSUER' | 'TOKEN_AUDIENCE' | 'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { clientId, scopes, client } = requireCaller(request);
  const { grant_type, scope } = parseBody(tokenRequest, request);
  if (grant_type !== 'client_credentials') {
    throw standardError('unsupported_grant_type');
  }
  const wanted = scopesIn(scope);
  const granted = wanted.length === 0 ? scopes : narrowed(scopes, wanted);
  const issuedAt = epochSeconds(request.now);
  const tokenId = context.newId();
  const token = await signToken(context, {
    iss: context.env.TOKEN_ISSUER,
    aud: context.env.TOKEN_AUDIENCE,
    sub: clientId,
    client_id: clientId,
    scope: granted.join(' '),
    iat: issuedAt,
    exp: issuedAt + tokenLifetimeSeconds,
    jti: tokenId,
    ...(modeOf(clientId) === 'test' ? { test: true } : {}),
  });
  if (granted.includes('admin')) {
    await recordActivity({ ...context, clock: () => request.now }, clientId, {
      kind: 'signed_in',
      summary: `${client.name} requested a token with the scope admin from ${request.sourceIp}`,
      clientId,
    });
  }
  return {
    status: 200,
    body: {
      access_token: token,
      token_type: 'bearer',
      expires_in: tokenLifetimeSeconds,
      // RFC 6749, section 5.1.
      ...(wanted.length === 0 ? {} : { scope: granted.join(' ') }),
    },
    log: { token_id: tokenId },
  };
}

/** Splits the scopes, which are words between spaces in any order (RFC 6749, section 3.3). */
function scopesIn(scope: string | null | undefined): readonly string[] {
  return (scope ?? '').split(' ').filter((word) => word !== '');
}

/** Returns the requested scopes. @throws GatewayError `invalid_scope` if the client lacks one of them. */
function narrowed(held: readonly Scope[], wanted: readonly string[]): readonly Scope[] {
  const missing = wanted.filter((word) => !held.some((scope) => scope === word));
  if (missing.length > 0) {
    throw new GatewayError('invalid_scope', errorTexts.invalid_scope(missing.join(' ')));
  }
  return held.filter((scope) => wanted.includes(scope));
}
