import { IAMClient, UpdateAssumeRolePolicyCommand } from '@aws-sdk/client-iam';
import { KMSClient, ListKeysCommand, SignCommand } from '@aws-sdk/client-kms';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientConfig } from '../support/gateway/gateway.ts';

const trustOf = (principal: Record<string, string>): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: principal, Action: 'sts:AssumeRole' }],
  });

interface DeployedFunction {
  readonly file: string;
  readonly role: string;
}

describe('the roles of the deployed functions', () => {
  const [iam, lambda, sts] = [
    new IAMClient(clientConfig()),
    new LambdaClient(clientConfig()),
    new STSClient(clientConfig()),
  ];
  const functions: DeployedFunction[] = [];
  let keyId = '';

  beforeAll(async () => {
    const { Functions = [] } = await lambda.send(new ListFunctionsCommand({ MaxItems: 100 }));
    for (const { Description = '', Role = '' } of Functions) {
      const file = Description.split(': ')[1];
      if (file !== undefined) functions.push({ file, role: Role });
    }
    // The administrator of the emulator's account lets itself in, and out again at the end.
    await trust({ AWS: '*' });
    const kms = new KMSClient(clientConfig());
    const { Keys = [] } = await kms.send(new ListKeysCommand({}));
    const signers = await Promise.all(
      Keys.map(async ({ KeyId = '' }) => ({ KeyId, signs: await signsAs(issueToken(), KeyId) })),
    );
    keyId = signers.find(({ signs }) => signs === 'signed')?.KeyId ?? '';
  });
  afterAll(async () => {
    await trust({ Service: 'lambda.amazonaws.com' });
    for (const client of [iam, lambda, sts]) client.destroy();
  });

  async function trust(principal: Record<string, string>): Promise<void> {
    for (const { role } of functions) {
      const RoleName = role.split('/').at(-1);
      await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: trustOf(principal) }));
    }
  }

  function issueToken(): DeployedFunction {
    const found = functions.find(({ file }) => file === 'issue-token');
    if (found === undefined) throw new Error('issue-token is not deployed');
    return found;
  }

  /** What becomes of a signature that is asked for in a function's role. */
  async function signsAs(deployed: DeployedFunction, KeyId: string): Promise<string> {
    const { Credentials } = await sts.send(
      new AssumeRoleCommand({ RoleArn: deployed.role, RoleSessionName: 'test' }),
    );
    const kms = new KMSClient({
      ...clientConfig(),
      credentials: {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
      },
    });
    try {
      await kms.send(
        new SignCommand({
          KeyId,
          Message: Buffer.from('anything'),
          MessageType: 'RAW',
          SigningAlgorithm: 'ECDSA_SHA_256',
        }),
      );
      return 'signed';
    } catch (error) {
      return error instanceof Error ? error.name : String(error);
    } finally {
      kms.destroy();
    }
  }

  it('are one for each function', () => {
    expect(functions.length).toBeGreaterThan(10);
    expect(new Set(functions.map(({ role }) => role)).size).toBe(functions.length);
  });

  it('let issue-token sign, and deny it to every other function', async () => {
    expect(await signsAs(issueToken(), keyId)).toBe('signed');
    const others = functions.filter(({ file }) => file !== 'issue-token');
    const denied = await Promise.all(others.map(async (other) => [other.file, await signsAs(other, keyId)]));
    expect(denied).toEqual(others.map(({ file }) => [file, 'AccessDeniedException']));
  });
});
