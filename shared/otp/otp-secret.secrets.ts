/** The OTP secrets in Secrets Manager: read once in five minutes, so a rotation holds within five. */
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../clock.ts';
import type { OtpSecrets } from './otp-secret.ts';

const rememberMs = 300_000;

export function secretsManagerOtpSecrets(
  client: SecretsManagerClient,
  secretArn: string,
  clock: Clock,
): OtpSecrets {
  let known: { readonly secrets: Promise<readonly string[]>; readonly until: number } | undefined;

  function all(): Promise<readonly string[]> {
    const now = clock().getTime();
    if (known !== undefined && now < known.until) return known.secrets;
    const secrets = read();
    known = { secrets, until: now + rememberMs };
    // What failed is not remembered.
    secrets.catch(() => {
      known = undefined;
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
      const answer = await client.send(
        new GetSecretValueCommand({ SecretId: secretArn, VersionStage: stage }),
      );
      return answer.SecretString;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  return {
    all,
    current: async () => {
      const [current] = await all();
      if (current === undefined) throw new Error('the OTP secret has no value');
      return current;
    },
  };
}
