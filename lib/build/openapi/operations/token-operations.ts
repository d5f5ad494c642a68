/** The operation that returns a token. */
import { tokenLifetimeSeconds } from '../../../../shared/token/verify-token.dynamo.ts';
import type { Description } from '../description.ts';
import { noStore } from '../headers.ts';
import { tokenLifetime } from '../introduction.ts';
import { example } from './examples.ts';

export const issueToken: Description = {
  summary: 'Get an access token',
  description: `Exchanges the client’s credentials for an access token that is valid for ${tokenLifetime}. Send the credentials in the body, as JSON or form-encoded, or by HTTP Basic. A request with valid credentials counts towards the client’s limit, and any other request by source address. The token has all scopes of the client, or those in \`scope\`. A scope that the client lacks is refused.`,
  request: {
    schema: 'TokenRequest',
    examples: {
      credentials: example('Credentials in the body', {
        client_id: 'client_0a1b2c3d4e5f6g7h',
        client_secret: 'the-secret-shown-once',
        grant_type: 'client_credentials',
      }),
    },
  },
  response: {
    description: 'The token.',
    schema: 'AccessToken',
    examples: {
      token: example('A token', {
        access_token: 'eyJhbGciOiJFUzI1NiIsImtpZCI6…',
        token_type: 'bearer',
        expires_in: tokenLifetimeSeconds,
      }),
    },
    headers: noStore,
  },
  errors: ['unsupported_grant_type', 'invalid_scope', 'invalid_client', 'forbidden'],
};
