/** Stands in for AWS's command line, of which it does the one command that the README has. */
import { parseArgs } from 'node:util';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'secret-id': { type: 'string' }, 'secret-string': { type: 'string' } },
});
if (positionals.join(' ') !== 'secretsmanager put-secret-value')
  throw new Error(`aws ${positionals.join(' ')} is not known here`);
const made = await new SecretsManagerClient().send(
  new PutSecretValueCommand({ SecretId: values['secret-id'], SecretString: values['secret-string'] }),
);
console.log(made.VersionId);
