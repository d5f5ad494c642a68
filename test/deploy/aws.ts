/** Replaces AWS's command line: implements the two commands that the documentation has. */
import { parseArgs } from 'node:util';
import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'secret-id': { type: 'string' },
    'secret-string': { type: 'string' },
    'stack-name': { type: 'string' },
    'no-enable-termination-protection': { type: 'boolean' },
  },
});

async function putSecretValue(): Promise<string | undefined> {
  const made = await new SecretsManagerClient().send(
    new PutSecretValueCommand({ SecretId: values['secret-id'], SecretString: values['secret-string'] }),
  );
  return made.VersionId;
}

async function updateTerminationProtection(): Promise<string | undefined> {
  const updated = await new CloudFormationClient().send(
    new UpdateTerminationProtectionCommand({
      StackName: values['stack-name'],
      EnableTerminationProtection: values['no-enable-termination-protection'] !== true,
    }),
  );
  return updated.StackId;
}

const commands: Readonly<Record<string, () => Promise<string | undefined>>> = {
  'secretsmanager put-secret-value': putSecretValue,
  'cloudformation update-termination-protection': updateTerminationProtection,
};
const command = commands[positionals.join(' ')];
if (command === undefined) throw new Error(`aws ${positionals.join(' ')} is not known here`);
console.log(await command());
