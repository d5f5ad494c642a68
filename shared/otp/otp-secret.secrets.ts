/** The OTP secrets in Secrets Manager, cached for five minutes; right codes are accepted during a rotation, too. */
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../platform/clock.ts';

/** The secrets that codes are derived from: the current one, and the previous one for a time after a rotation. */
export type OtpSecrets = ReturnType<typeof secretsManagerOtpSecrets>;

const rememberMs = 300_000;
/** Wrong codes cause at most one read in this time. A new code takes longer to reach its recipient. */
const freshMs = 2000;

export function secretsManagerOtpSecrets(client: SecretsManagerClient, secretArn: string, clock: Clock) {
  let known: { readonly secrets: Promise<readonly string[]>; readonly at: number } | undefined;

  function readSince(maxAgeMs: number): Promise<readonly string[]> {
    const now = clock().getTime();
    if (known !== undefined && now < known.at + maxAgeMs) return known.secrets;
    const secrets = read();
    const before = known;
    known = { secrets, at: now };
    // A failed read is not cached, and keeps the cached value.
    secrets.catch(() => {
      known = before;
    });
    return secrets;
  }

  async function read(): Promise<readonly string[]> {
    const [current, previous] = await Promise.all([version('AWSCURRENT'), version('AWSPREVIOUS')]);
    if (current === undefined) throw new Error('the OTP secret has no value');
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
    /** For verification: the current secret first. */
    all: (): Promise<readonly string[]> => readSince(rememberMs),
    /** As `all`, read again unless that was just done: the code may be newer than the cache. */
    latest: (): Promise<readonly string[]> => readSince(freshMs),
    current: async (): Promise<string> => {
      const [current] = await readSince(rememberMs);
      if (current === undefined) throw new Error('the OTP secret has no value');
      return current;
    },
  };
}
