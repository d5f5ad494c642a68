/** Signs tokens with a KMS key; the public key is published before the first token is returned. */
import { createHash, createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import type { Clock } from '../platform/clock.ts';
import { concatenatedSignature } from './ecdsa-signature.ts';
import { publicJwk, type SigningKeyStore } from './signing-keys.dynamo.ts';
import { type TokenClaims, tokenAlgorithm, tokenType } from './token-claims.ts';

interface SigningKey {
  /** The key's own id, not an alias, which may later point to another key. */
  readonly keyId: string;
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
}

export type TokenSigner = ReturnType<typeof kmsTokenSigner>;

/** Signs with one KMS call; the first token of a process also reads and publishes the public key. */
export function kmsTokenSigner(kms: KMSClient, keyId: string, signingKeys: SigningKeyStore, clock: Clock) {
  let prepared: Promise<SigningKey> | undefined;

  return {
    async sign(claims: TokenClaims): Promise<string> {
      prepared ??= prepare();
      const key = await prepared.catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      const content = `${encode({ alg: tokenAlgorithm, typ: tokenType, kid: key.kid })}.${encode(claims)}`;
      const { Signature } = await kms.send(
        new SignCommand({
          KeyId: key.keyId,
          Message: createHash('sha256').update(content).digest(),
          MessageType: 'DIGEST',
          SigningAlgorithm: 'ECDSA_SHA_256',
        }),
      );
      if (Signature === undefined) throw new Error('KMS answered without a signature');
      return `${content}.${concatenatedSignature(Signature).toString('base64url')}`;
    },
  };

  async function prepare(): Promise<SigningKey> {
    const { PublicKey, KeyId } = await kms.send(new GetPublicKeyCommand({ KeyId: keyId }));
    if (PublicKey === undefined) throw new Error('KMS answered without a public key');
    const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
    const jwk = publicJwk.parse(key.export({ format: 'jwk' }));
    const kid = await calculateJwkThumbprint(jwk);
    await signingKeys.publish(kid, jwk, clock());
    return { keyId: KeyId ?? keyId, kid };
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
