/**
 * The code of a one-time password. The code is not in any table, log or queue, because it is derived from a secret in
 * Secrets Manager each time. The secrets are cached for five minutes. During a rotation, codes of the old secret are
 * accepted too.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../platform/clock.ts';
import { cachedRead } from '../platform/expiring-cache.ts';

/**
 * Derives the code from the id: decimal digits, with leading zeros. Anybody who does not know the secret learns nothing
 * about the code from the id (HOTP of RFC 4226, but with SHA-256 and a wider value).
 */
export function deriveCode(secret: string, otpId: string, length: number): string {
  const mac = createHmac('sha256', secret).update(otpId).digest();
  // 128 bits modulo at most 10^10 give a bias below one in 10^28.
  const value = BigInt(`0x${mac.subarray(0, 16).toString('hex')}`);
  return (value % 10n ** BigInt(length)).toString().padStart(length, '0');
}

/** True if `code` is right for any of the secrets. The code is compared with each of them, in constant time. */
export function isRightCode(
  secrets: readonly string[],
  otpId: string,
  length: number,
  code: string,
): boolean {
  const given = Buffer.from(code);
  let right = false;
  for (const secret of secrets) {
    const expected = Buffer.from(deriveCode(secret, otpId, length));
    if (given.length === expected.length && timingSafeEqual(given, expected)) right = true;
  }
  return right;
}

/** The secrets from which codes are derived: the current one and, for a time after a rotation, the previous one. */
export type OtpSecrets = ReturnType<typeof secretsManagerOtpSecrets>;

const remembered = { maxAgeSeconds: 300, maxEntries: 1 };
/** Wrong codes cause at most one read of the secrets in this time. A new code takes longer to reach its recipient. */
const freshSeconds = 2;
const noValue = 'the OTP secret has no value';

export function secretsManagerOtpSecrets(client: SecretsManagerClient, secretArn: string, clock: Clock) {
  const secrets = cachedRead(read, remembered, clock);

  async function read(): Promise<readonly string[]> {
    const [current, previous] = await Promise.all([version('AWSCURRENT'), version('AWSPREVIOUS')]);
    if (current === undefined) throw new Error(noValue);
    return previous === undefined ? [current] : [current, previous];
  }

  async function version(stage: string): Promise<string | undefined> {
    try {
      const response = await client.send(
        new GetSecretValueCommand({ SecretId: secretArn, VersionStage: stage }),
      );
      return response.SecretString;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  return {
    /** Returns the secrets for verification, the current one first. */
    all: async (): Promise<readonly string[]> => (await secrets()) ?? [],
    /** Like `all`, but if the secrets are not fresh, reads them again, because the code may come from a newer secret. */
    latest: async (): Promise<readonly string[]> => (await secrets('', freshSeconds)) ?? [],
    current: async (): Promise<string> => {
      const [current] = (await secrets()) ?? [];
      if (current === undefined) throw new Error(noValue);
      return current;
    },
  };
}
