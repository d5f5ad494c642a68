/**
 * The health of endpoints and the trial requests to them: rows of the deliveries table with the keys `endpoint#<client>#<origin>` and
 * `trial#<client>#<slot>`, which expire by TTL.
 */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalDelete, conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { epochSeconds } from '../platform/clock.ts';
import type { TrialSlots } from './choose-lane.ts';
import type { ClientOrigin, EndpointHealthStore } from './slow-endpoints.ts';

const endpointRow = z.object({
  status: z.enum(['healthy', 'slow']),
  known_until: z.iso.datetime(),
  slow_but_ok: z.optional(z.boolean()),
});
const trialRow = z.object({ taken_since: z.iso.datetime() });

export function dynamoEndpointHealthStore(
  client: DynamoDBDocumentClient,
  TableName: string,
): EndpointHealthStore & TrialSlots {
  const endpointKey = (of: ClientOrigin) => ({ delivery_id: `endpoint#${of.clientId}#${of.origin}` });
  const slotKey = (slot: string) => ({ delivery_id: `trial#${slot}` });
  const lasting = (until: Date) => ({ known_until: until.toISOString(), purge_at: epochSeconds(until) });

  return {
    async read(endpoint) {
      // Eventually consistent: half the price, and workers cache the result for longer than it lags.
      const row = await readRow(client, endpointRow, { TableName, Key: endpointKey(endpoint) });
      if (row === undefined) return undefined;
      const { status, known_until, slow_but_ok: slowButOk = false } = row;
      const until = new Date(known_until);
      return status === 'healthy' ? { status, until, slowButOk } : { status, until };
    },

    async setSlow(endpoint, slowAt, until) {
      const slow_at = slowAt.toISOString();
      const Item = { ...endpointKey(endpoint), status: 'slow', slow_at, ...lasting(until) };
      await client.send(new PutCommand({ TableName, Item }));
    },

    async setLikelySlow(endpoint, now, until) {
      await conditionalPut(client, {
        TableName,
        Item: { ...endpointKey(endpoint), status: 'slow', ...lasting(until) },
        ConditionExpression: 'attribute_not_exists(slow_at) OR known_until <= :now',
        ExpressionAttributeValues: { ':now': now.toISOString() },
      });
    },

    async setHealthy(endpoint, until, slowButOk, unlessSlowSince) {
      const { applied } = await conditionalPut(client, {
        TableName,
        Item: { ...endpointKey(endpoint), status: 'healthy', slow_but_ok: slowButOk, ...lasting(until) },
        ConditionExpression: 'attribute_not_exists(slow_at) OR slow_at <= :limit',
        ExpressionAttributeValues: { ':limit': unlessSlowSince.toISOString() },
      });
      return applied;
    },

    async takeSlot(slot, holder, now, until) {
      const taking = await conditionalPut(client, {
        TableName,
        Item: { ...slotKey(slot), holder, taken_since: now.toISOString(), ...lasting(until) },
        ConditionExpression: 'attribute_not_exists(holder) OR holder = :holder OR known_until <= :now',
        ExpressionAttributeValues: { ':holder': holder, ':now': now.toISOString() },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (taking.applied) return undefined;
      return new Date(taking.row === undefined ? now : trialRow.parse(taking.row).taken_since);
    },

    async freeSlot(slot, holder) {
      // The condition fails if the slot expired and another holder took it.
      await conditionalDelete(client, {
        TableName,
        Key: slotKey(slot),
        ConditionExpression: 'holder = :holder',
        ExpressionAttributeValues: { ':holder': holder },
      });
    },
  };
}
