/**
 * Gets temporary credentials for the roles of clients. The external id of a role is the id of the client that named the
 * role. Its credentials are cached for that client only. A client therefore cannot use a role that trusts the gateway for
 * another client (the confused deputy problem). The gateway does not use a role that accepts any external id.
 *
 * The session policy restricts the credentials to sending to one queue or bus, even if the role has more permissions.
 *
 * The gateway's own policy cannot list these roles, because clients name them at run time. A queue policy would need no
 * role, but cannot require an external id: any client could then name any queue that trusts the gateway.
 */
import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import type { ForeignCredentials } from '../../platform/aws/clients.ts';
import type { Clock } from '../../platform/clock.ts';
import { ExpiringMap } from '../../platform/expiring-cache.ts';
import { type AwsDestination, domainOf, parseArn, resourceArnOf, roleArnOf } from '../aws-destination.ts';

/** @throws an error with the name `AccessDenied` if the role does not trust the gateway with this external id. */
export type AssumeRole = (asked: {
  readonly roleArn: string;
  readonly externalId: string;
  readonly sessionName: string;
  /** A JSON document. */
  readonly sessionPolicy: string;
}) => Promise<ForeignCredentials>;

export interface RoleUse {
  readonly destination: AwsDestination;
  readonly clientId: string;
  readonly endpointId: string;
}

/**
 * The role's trust policy lacks a condition on `sts:ExternalId`: any client that knows the ARN could use the role through
 * the gateway.
 */
export class RoleTrustsAnyExternalId extends Error {
  override readonly name = 'RoleTrustsAnyExternalId';
}

/** Credentials are renewed this long before they expire. */
const renewBeforeMs = 120_000;
/**
 * A worker calls STS for a role at most once in this time, whatever STS or the destination returned. The calls of all
 * clients share one quota, so one client with a broken queue or role could otherwise stop the webhooks of the others.
 */
const askAgainAfterMs = 10_000;
const rolesMax = 500;

export function assumedRoles(assumeRole: AssumeRole, clock: Clock, newId: () => string) {
  const known = new ExpiringMap<ForeignCredentials>(rolesMax);
  const asked = new ExpiringMap<Promise<ForeignCredentials>>(rolesMax);
  const keyOf = ({ destination, clientId, endpointId }: RoleUse) =>
    JSON.stringify([clientId, endpointId, roleArnOf(destination), resourceArnOf(destination)]);

  async function assume(use: RoleUse, key: string): Promise<ForeignCredentials> {
    const now = clock();
    const request = {
      roleArn: roleArnOf(use.destination),
      sessionName: `messaging-gateway-${use.endpointId}`,
      sessionPolicy: sessionPolicyOf(use.destination),
    };
    const [own, foreign] = await Promise.allSettled([
      assumeRole({ ...request, externalId: use.clientId }),
      assumeRole({ ...request, externalId: newId() }),
    ]);
    if (own.status === 'rejected') throw own.reason;
    if (foreign.status === 'fulfilled') throw new RoleTrustsAnyExternalId(request.roleArn);
    if (!isAccessDenied(foreign.reason)) throw foreign.reason;
    known.set(key, own.value, now, own.value.expiration.getTime() - renewBeforeMs);
    return own.value;
  }

  return {
    async credentialsFor(use: RoleUse): Promise<ForeignCredentials> {
      const key = keyOf(use);
      const now = clock();
      const cached = known.get(key, now) ?? asked.get(key, now);
      if (cached !== undefined) return cached;
      const assuming = assume(use, key).catch((error: unknown) => {
        if (!isRefused(error)) asked.delete(key);
        throw error;
      });
      asked.set(key, assuming, now, now.getTime() + askAgainAfterMs);
      return assuming;
    },

    /** Removes credentials that the destination refused from the cache, so that a later attempt gets new ones. */
    forget(use: RoleUse): void {
      known.delete(keyOf(use));
    },
  };
}

function isRefused(error: unknown): boolean {
  return isAccessDenied(error) || error instanceof RoleTrustsAnyExternalId;
}

export function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && /^AccessDenied(Exception)?$/.test(error.name);
}

function sessionPolicyOf(destination: AwsDestination): string {
  const Resource = resourceArnOf(destination);
  const Statement =
    'sqs' in destination
      ? [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource }, keyOfQueue(Resource)]
      : [{ Effect: 'Allow', Action: 'events:PutEvents', Resource }];
  return JSON.stringify({ Version: '2012-10-17', Statement });
}

/** Returns the KMS permissions that SQS needs if the client's own key encrypts the queue. */
function keyOfQueue(queueArn: string) {
  const { partition, region } = parseArn(queueArn, 'sqs');
  return {
    Effect: 'Allow',
    Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
    Resource: '*',
    Condition: { StringEquals: { 'kms:ViaService': `sqs.${region}.${domainOf(partition)}` } },
  };
}

/** The minimum that STS accepts. */
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
