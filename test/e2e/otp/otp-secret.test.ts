/** Codes are derived under a secret of Secrets Manager, which is rotated without refusing a right one. */
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { secretsManagerOtpSecrets } from '../../../shared/otp/otp-code.secrets.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { clientConfig } from '../../support/gateway/gateway.ts';

let client: SecretsManagerClient;
let now = new Date('2026-11-20T10:00:00.000Z');
beforeAll(() => {
  client = new SecretsManagerClient(clientConfig());
});
afterAll(() => client.destroy());

it('a new version derives new codes within five minutes, and the previous one still verifies', async () => {
  const created = await client.send(
    new CreateSecretCommand({ Name: `otp-${Math.random()}`, SecretString: 'first' }),
  );
  const arn = created.ARN ?? '';
  const secrets = secretsManagerOtpSecrets(client, arn, () => now);
  expect([await secrets.current(), await secrets.all()]).toEqual(['first', ['first']]);

  await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: 'second' }));
  now = addSeconds(now, 1);
  expect([await secrets.latest(), await secrets.all()]).toEqual([['first'], ['first']]);
  // A code that fits none of what is remembered has the secrets read anew.
  now = addSeconds(now, 1);
  expect(await secrets.latest()).toEqual(['second', 'first']);
  expect(await secrets.current()).toBe('second');

  const other = secretsManagerOtpSecrets(client, arn, () => now);
  await other.all();
  await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: 'third' }));
  now = addSeconds(now, 300);
  expect(await other.all()).toEqual(['third', 'second']);
});

it('a reading that fails takes nothing away that was known', async () => {
  const created = await client.send(
    new CreateSecretCommand({ Name: `otp-${Math.random()}`, SecretString: 'first' }),
  );
  const failing = new SecretsManagerClient(clientConfig());
  let broken = false;
  failing.middlewareStack.add(
    (next) => async (args) => {
      if (broken) throw new Error('down');
      return next(args);
    },
    { step: 'initialize', name: 'break' },
  );
  const secrets = secretsManagerOtpSecrets(failing, created.ARN ?? '', () => now);
  await secrets.all();
  broken = true;
  now = addSeconds(now, 10);
  await expect(secrets.latest()).rejects.toThrow('down');
  expect(await secrets.all()).toEqual(['first']);
  failing.destroy();
});
