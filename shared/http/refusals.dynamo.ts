/**
 * Refusals in the table of rate counters, which every function of the API may update anyway: a row of counts for each
 * client and UTC hour, and a row for each refusal that is kept in full, by the id of its request.
 */
import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import { logWarning } from '../platform/log.ts';
import { type Refusal, refusalSchema, type WriteRefusals } from './record-refusals.ts';

export const countsKeptDays = 7;
const fullKeptDays = 1;

const hourOf = (time: string): string => time.slice(0, 'yyyy-mm-ddThh'.length);
/** The keys of counters begin with the id of a client, or with `address:`. */
const countsKey = (clientId: string, hour: string): string => `refusals|${clientId}|${hour}`;
const refusalKey = (requestId: string): string => `refusal|${requestId}`;

/** Attributes of a row of counts: `POST /api/v1/sms/send rate_limit_exceeded`, and the same with `last` and `write` before it. */
const countName = ({ endpoint, reason }: Pick<Refusal, 'endpoint' | 'reason'>): string =>
  `${endpoint} ${reason}`;
const lastPrefix = 'last ';
/** The attribute with the id of the newest write. The request id cannot be used, because the caller chooses it. */
const writePrefix = 'write ';

export function dynamoRefusalWriter(dynamo: DynamoDBDocumentClient, TableName: string): WriteRefusals {
  return async (latest, count) => {
    const { client_id, request_id, at } = latest;
    const purgeAt = (days: number): number => epochSeconds(addDays(new Date(at), days));
    const { request_id: _key, ...fields } = latest;
    await Promise.all([
      // A repeat by the SDK, after a lost response, finds its own write there and counts nothing.
      conditionalUpdate(dynamo, {
        TableName,
        Key: { counter: countsKey(client_id, hourOf(at)) },
        UpdateExpression: 'ADD #count :count SET #last = :request, #write = :write, purge_at = :purge_at',
        ConditionExpression: 'attribute_not_exists(#write) OR #write <> :write',
        ExpressionAttributeNames: {
          '#count': countName(latest),
          '#last': `${lastPrefix}${countName(latest)}`,
          '#write': `${writePrefix}${countName(latest)}`,
        },
        ExpressionAttributeValues: {
          ':count': count,
          ':request': request_id,
          ':write': randomUUID(),
          ':purge_at': purgeAt(countsKeptDays),
        },
      }),
      // The caller chooses the request id, and must not overwrite another refusal. The refusal is counted even if
      // this row cannot be written, because its number must not be written again.
      conditionalUpdate(dynamo, {
        TableName,
        Key: { counter: refusalKey(request_id) },
        UpdateExpression: 'SET refusal = :refusal, purge_at = :purge_at',
        ConditionExpression: 'attribute_not_exists(refusal)',
        ExpressionAttributeValues: { ':refusal': fields, ':purge_at': purgeAt(fullKeptDays) },
      }).catch((error: unknown) => logWarning('refusal not kept', error)),
    ]);
  };
}

export interface RefusalCount {
  readonly client_id: string;
  readonly hour: string;
  readonly endpoint: string;
  readonly reason: string;
  /** A minimum: refusals that a process had not written when it ended are missing. */
  readonly at_least: number;
  readonly last_request_id: string;
}

export function dynamoRefusalReader(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    /** @param hours - UTC hours, `2026-11-20T10` */
    async counts(clientIds: readonly string[], hours: readonly string[]): Promise<RefusalCount[]> {
      const keys = clientIds.flatMap((clientId) =>
        hours.map((hour) => ({ counter: countsKey(clientId, hour) })),
      );
      return (await batchRead(dynamo, TableName, keys)).flatMap(countsIn);
    },

    async find(requestId: string): Promise<Refusal | undefined> {
      const { Item } = await dynamo.send(
        new GetCommand({ TableName, Key: { counter: refusalKey(requestId) } }),
      );
      return Item === undefined ? undefined : refusalIn(Item);
    },

    async findMany(requestIds: readonly string[]): Promise<Refusal[]> {
      const keys = [...new Set(requestIds)].map((id) => ({ counter: refusalKey(id) }));
      return (await batchRead(dynamo, TableName, keys)).map(refusalIn);
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

function refusalIn({ counter, refusal }: Row): Refusal {
  return refusalSchema().parse({
    ...(refusal as object),
    request_id: String(counter).slice(refusalKey('').length),
  });
}

function countsIn({ counter, purge_at: _purgeAt, ...counts }: Row): RefusalCount[] {
  const [, client_id = '', hour = ''] = String(counter).split('|');
  return Object.entries(counts).flatMap(([name, count]) => {
    if (typeof count !== 'number') return [];
    const end = name.lastIndexOf(' ');
    return [
      {
        client_id,
        hour: `${hour}:00:00.000Z`,
        endpoint: name.slice(0, end),
        reason: name.slice(end + 1),
        at_least: count,
        last_request_id: String(counts[`${lastPrefix}${name}`]),
      },
    ];
  });
}
