/**
 * Gets temporary credentials for the roles of clients. The external id is the id of the client that named the role, and
 * credentials are cached for that client only. A client therefore cannot use a role that trusts the gateway for another
 * client (the confused deputy problem). A role that can be assumed with any external id is not used at all.
 *
 * The session policy restricts the credentials to sending to one queue or bus, even if the role has more permissions.
 *
 * Clients name their roles at run time, so no policy can list them. A queue policy would need no role, but it cannot contain
 * an external id: any client could then name any queue that trusts the gateway.
 */
import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import type { ForeignCredentials } from '../../platform/aws/clients.ts';
import type { Clock } from '../../platform/clock.ts';
import { ExpiringMap } from '../../platform/expiring-cache.ts';
import { type AwsDestination, domainOf, parseArn, resourceArnOf, roleArnOf } from '../aws-destination.ts';

/** @throws an error of the name `AccessDenied` if the role does not trust the caller with this external id. */
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

/** The role's trust policy lacks a condition on `sts:ExternalId`: anyone who knows its ARN could use it through us. */
export class RoleTrustsAnyExternalId extends Error {
  override readonly name = 'RoleTrustsAnyExternalId';
}

/** Credentials are renewed this long before they expire. */
const renewBeforeMs = 120_000;
/**
 * For this long, a worker does not call STS again for the same role, whatever STS or the destination returned. All clients
 * share one quota of calls, so one client with a broken queue or role could otherwise stop the webhooks of the others.
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

    /** Forgets credentials that the destination refused, so that they are soon replaced. */
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

/** Returns the KMS permission that SQS requires if a key of the client encrypts the queue. */
function keyOfQueue(queueArn: string) {
  const { partition, region } = parseArn(queueArn, 'sqs');
  return {
    Effect: 'Allow',
    Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
    Resource: '*',
    Condition: { StringEquals: { 'kms:ViaService': `sqs.${region}.${domainOf(partition)}` } },
  };
}

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
