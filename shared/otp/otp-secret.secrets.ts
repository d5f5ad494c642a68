/** The OTP secrets in Secrets Manager, cached for five minutes; right codes are accepted during a rotation, too. */
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../platform/clock.ts';
import { cachedRead } from '../platform/expiring-cache.ts';

/** The secrets that codes are derived from: the current one, and the previous one for a time after a rotation. */
export type OtpSecrets = ReturnType<typeof secretsManagerOtpSecrets>;

const remembered = { maxAgeSeconds: 300, maxEntries: 1 };
/** Wrong codes cause at most one read in this time. A new code takes longer to reach its recipient. */
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
    /** Like `all`, but reads again unless it was just read: the code may be newer than the cache. */
    latest: async (): Promise<readonly string[]> => (await secrets('', freshSeconds)) ?? [],
    current: async (): Promise<string> => {
      const [current] = (await secrets()) ?? [];
      if (current === undefined) throw new Error(noValue);
      return current;
    },
  };
}
