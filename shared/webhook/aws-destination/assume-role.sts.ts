/** Assumes clients' roles through STS, for as short a time as it offers. */
import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import type { AssumeRole } from './assumed-roles.ts';

/** The minimum of STS. */
const durationSeconds = 900;

export function stsAssumeRole(client: STSClient): AssumeRole {
  return async ({ roleArn, externalId, sessionName, sessionPolicy }) => {
    const { Credentials } = await client.send(
      new AssumeRoleCommand({
        RoleArn: roleArn,
        ExternalId: externalId,
        RoleSessionName: sessionName,
        Policy: sessionPolicy,
        DurationSeconds: durationSeconds,
      }),
    );
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
      throw new Error('STS answered without credentials');
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      expiration: Expiration,
    };
  };
}
