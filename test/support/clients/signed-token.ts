/** Access tokens of the running gateway for any time: signed with a key of its own KMS that it trusts. */
import { decodeJwt } from 'jose';
import { epochSeconds } from '../../../shared/platform/clock.ts';
import { dynamoSigningKeyStore } from '../../../shared/token/signing-keys.dynamo.ts';
import type { TokenClaims } from '../../../shared/token/token-claims.ts';
import { kmsTokenSigner } from '../../../shared/token/token-signer.kms.ts';
import { createSigningKey } from '../gateway/access.ts';
import { documentClient, gateway, kmsClient } from '../gateway/gateway.ts';

/** @returns a token like this one, that expires (or expired) so many seconds from now */
export async function tokenThatExpires(inSeconds: number, like: string): Promise<string> {
  const kms = kmsClient();
  const dynamo = documentClient();
  try {
    const keys = dynamoSigningKeyStore(dynamo, gateway().tables.signing_keys ?? '');
    const signer = kmsTokenSigner(kms, await createSigningKey(kms), keys, () => new Date());
    const exp = epochSeconds(new Date()) + inSeconds;
    return await signer.sign({ ...(decodeJwt(like) as unknown as TokenClaims), iat: exp - 3600, exp });
  } finally {
    kms.destroy();
    dynamo.destroy();
  }
}
