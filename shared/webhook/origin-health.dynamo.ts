/** The slow origins, as rows of the deliveries table named `origin#https://host:port`; they go by TTL at the latest. */
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { epochSeconds } from '../clock.ts';
import type { OriginStore } from './origin-health.ts';

const originRow = z.object({ slow_until: z.iso.datetime() });

export function dynamoOriginStore(client: DynamoDBDocumentClient, tableName: string): OriginStore {
  const keyOf = (origin: string) => ({ delivery_id: `origin#${origin}` });
  return {
    async slowUntil(origin) {
      const answer = await client.send(new GetCommand({ TableName: tableName, Key: keyOf(origin) }));
      return answer.Item === undefined ? undefined : new Date(originRow.parse(answer.Item).slow_until);
    },
    async setSlow(origin, until) {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: { ...keyOf(origin), slow_until: until.toISOString(), purge_at: epochSeconds(until) },
        }),
      );
    },
    async forget(origin) {
      await client.send(new DeleteCommand({ TableName: tableName, Key: keyOf(origin) }));
    },
  };
}
