/** Access tokens of the running gateway for any time: signed with a key of its own KMS that it trusts. */
import { setTimeout } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { epochSeconds } from '../../../shared/platform/clock.ts';
import { signToken } from '../../../shared/token/token-signer.kms.ts';
import type { TokenClaims } from '../../../shared/token/verify-token.dynamo.ts';
import { testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { createSigningKey } from '../gateway/access.ts';
import { documentClient, gateway, kmsClient } from '../gateway/gateway.ts';

/** @returns a token like this one, that expires (or expired) so many seconds from now */
export async function tokenThatExpires(inSeconds: number, like: string): Promise<string> {
  const kms = kmsClient();
  const dynamo = documentClient();
  try {
    const names = gateway().tables as TestTables['names'];
    const env = { TOKEN_SIGNING_KEY_ID: await createSigningKey(kms) };
    const context = { ...testContext({ dynamo, names }, { env, sleep: setTimeout }), kms };
    const exp = epochSeconds(new Date()) + inSeconds;
    return await signToken(context, { ...(decodeJwt(like) as unknown as TokenClaims), iat: exp - 3600, exp });
  } finally {
    kms.destroy();
    dynamo.destroy();
  }
}
