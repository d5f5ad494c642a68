/** The tokens of a scripted stage, with the documents by which they are verified. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export function scriptedTokens(issuer: string, areShort: () => boolean) {
  const pair = generateKeyPair('ES256', { extractable: true });
  return {
    async issue(): Promise<string> {
      const issued = Math.floor(Date.now() / 1000);
      return new SignJWT({ client_id: 'client' })
        .setProtectedHeader({ alg: 'ES256', kid: 'key' })
        .setIssuer(issuer)
        .setIssuedAt(issued)
        .setExpirationTime(issued + (areShort() ? 1800 : 3600))
        .sign((await pair).privateKey);
    },
    async document(path: string): Promise<Record<string, unknown>> {
      if (!path.endsWith('jwks.json')) return { issuer, jwks_uri: `${issuer}/.well-known/jwks.json` };
      return { keys: [{ ...(await exportJWK((await pair).publicKey)), kid: 'key', alg: 'ES256' }] };
    },
  };
}
