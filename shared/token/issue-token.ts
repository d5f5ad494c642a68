/** Issues an access token to a client that has shown its secret (specification, section 5.1). */
import * as z from 'zod/mini';
import { type ApiRequest, type ApiResponse, parseBody, requireCaller } from '../api.ts';
import { epochSeconds } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import { type TokenSigner, tokenLifetimeSeconds } from './token-claims.ts';

interface IssueTokenParts {
  readonly signer: TokenSigner;
  readonly issuer: string;
  readonly audience: string;
  readonly newTokenId: () => string;
}

const tokenRequest = z.object({ grant_type: z.string() });

export async function issueToken(
  parts: IssueTokenParts,
  request: Pick<ApiRequest, 'body' | 'caller' | 'now'>,
): Promise<ApiResponse> {
  const { clientId, scopes } = requireCaller(request);
  const { grant_type } = parseBody(tokenRequest, request.body);
  if (grant_type !== 'client_credentials') {
    throw new GatewayError('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  const issuedAt = epochSeconds(request.now);
  const tokenId = parts.newTokenId();
  const token = await parts.signer.sign({
    iss: parts.issuer,
    aud: parts.audience,
    sub: clientId,
    client_id: clientId,
    scope: scopes.join(' '),
    iat: issuedAt,
    exp: issuedAt + tokenLifetimeSeconds,
    jti: tokenId,
  });
  return {
    status: 200,
    body: { access_token: token, token_type: 'bearer', expires_in: tokenLifetimeSeconds },
    log: { token_id: tokenId },
  };
}
