/** Limits of a client as a row of the limit-overrides table, as a person would enter them. */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import {
  type Limits,
  limitPolicies,
  type PolicyName,
  policies,
} from '../../../shared/contract/rate-limits-and-caps.ts';

/** More than a test can send. */
export const unreachable: Limits = { perMinute: 20_000, perHour: 1_000_000, perDay: 10_000_000 };

export async function putLimits(
  dynamo: DynamoDBDocumentClient,
  TableName: string,
  clientId: string,
  policy: PolicyName,
  { perMinute, perHour, perDay }: Partial<Limits>,
): Promise<void> {
  const Item = {
    client_id: clientId,
    endpoint: policies[policy].endpoint,
    per_minute: perMinute,
    per_hour: perHour,
    per_day: perDay,
  };
  await dynamo.send(new PutCommand({ TableName, Item }));
}

/** The same limits for all endpoints. */
export async function putAllLimits(
  dynamo: DynamoDBDocumentClient,
  TableName: string,
  clientId: string,
  limits: Limits,
): Promise<void> {
  await Promise.all(limitPolicies.map((policy) => putLimits(dynamo, TableName, clientId, policy, limits)));
}
