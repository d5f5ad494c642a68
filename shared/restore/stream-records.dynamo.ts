/**
 * Reads what the streams of a table still have: its changes of the last 24 hours, also where the stream was turned off or the
 * table was deleted since. `ListStreams` names such streams as well, so no ARN of an earlier one has to be known.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { addressOf, signedPost } from '../platform/aws/signed-post.ts';
import type { StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { earlierOf, type Sleep } from '../platform/clock.ts';
import { chunksOf } from '../platform/long-lists.ts';
import { retry } from '../platform/retry.ts';

export type StreamRecords = ReturnType<typeof dynamoStreamRecords>;

/**
 * A shard that is open has no end, and a page can be empty before its last record. A shard is open for four hours at most,
 * and nothing is written while it is read.
 */
const emptyPagesMax = 50;
/** Each has up to 1 MB of records in memory. */
const shardsAtOnce = 16;
/** Half a minute in all. */
const throttledDelaysMs = [250, 500, 1000, 2000, 4000, 8000, 16_000];
/** From the oldest record again, at once. */
const restartDelaysMs = [0, 0, 0, 0];

const streamList = z.object({
  Streams: z.array(z.object({ StreamArn: z.string() })),
  LastEvaluatedStreamArn: z.optional(z.string()),
});
const streamDescription = z.object({
  StreamDescription: z.object({
    CreationRequestDateTime: z.number(),
    Shards: z.array(
      z.object({
        ShardId: z.string(),
        SequenceNumberRange: z.object({ EndingSequenceNumber: z.optional(z.string()) }),
      }),
    ),
    LastEvaluatedShardId: z.optional(z.string()),
  }),
});
const shardIterator = z.object({ ShardIterator: z.string() });
const recordPage = z.object({
  Records: z.array(z.custom<StreamRecord>((value) => typeof value === 'object')),
  // Null or absent where the shard is closed and read to its end.
  NextShardIterator: z.nullish(z.string()),
});

interface Shard {
  readonly StreamArn: string;
  readonly ShardId: string;
  readonly isOpen: boolean;
}

class StreamsError extends Error {
  override readonly name = 'StreamsError';
  /** Such as `ExpiredIteratorException`; empty where the body is another one, as that of a load balancer. */
  readonly code: string;
  readonly isTemporary: boolean;

  constructor(operation: string, status: number, text: string) {
    super(`DynamoDB Streams answered ${operation} with ${status}: ${text}`);
    this.code = /"__type"\s*:\s*"(?:[^"#]*#)?(\w+)"/.exec(text)?.[1] ?? '';
    this.isTemporary = status >= 500 || /Throttl|LimitExceeded|ThroughputExceeded/.test(this.code);
  }
}

const isRefused = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof StreamsError && codes.includes(error.code);

/** @param address - of the emulator; by default that of the service in the region of the client */
export function dynamoStreamRecords(
  { config }: Pick<DynamoDBClient, 'config'>,
  sleep: Sleep,
  address?: string,
) {
  const calling = {
    delaysMs: throttledDelaysMs,
    sleep,
    isRetryable: (error: unknown) => !(error instanceof StreamsError) || error.isTemporary,
  };

  async function call(operation: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
    const endpoint = new URL(address ?? addressOf('streams.dynamodb', await config.region()));
    return retry(calling, async () => {
      const response = await signedPost(config, {
        service: 'dynamodb',
        endpoint,
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        },
        body: JSON.stringify(input),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      throw new StreamsError(operation, response.status, text);
    });
  }

  async function* streamsOf(TableName: string): AsyncGenerator<string> {
    let after: string | undefined;
    do {
      const listed = await call('ListStreams', { TableName, ExclusiveStartStreamArn: after });
      const { Streams, LastEvaluatedStreamArn } = streamList.parse(listed);
      for (const { StreamArn } of Streams) yield StreamArn;
      after = LastEvaluatedStreamArn;
    } while (after !== undefined);
  }

  async function describe(StreamArn: string): Promise<{ began: Date; shards: readonly Shard[] }> {
    const shards: Shard[] = [];
    let [began, after]: [Date, string | undefined] = [new Date(0), undefined];
    do {
      const described = await call('DescribeStream', { StreamArn, ExclusiveStartShardId: after });
      const { StreamDescription } = streamDescription.parse(described);
      for (const { ShardId, SequenceNumberRange } of StreamDescription.Shards)
        shards.push({ StreamArn, ShardId, isOpen: SequenceNumberRange.EndingSequenceNumber === undefined });
      began = new Date(StreamDescription.CreationRequestDateTime * 1000);
      after = StreamDescription.LastEvaluatedShardId;
    } while (after !== undefined);
    return { began, shards };
  }

  async function readShard(
    { StreamArn, ShardId, isOpen }: Shard,
    use: (record: StreamRecord) => void,
  ): Promise<void> {
    const begun = await call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    let next: string | null | undefined = shardIterator.parse(begun).ShardIterator;
    let emptyPages = 0;
    while (next != null && !(isOpen && emptyPages === emptyPagesMax)) {
      const page = recordPage.parse(await call('GetRecords', { ShardIterator: next }));
      for (const record of page.Records) use(record);
      emptyPages = page.Records.length === 0 ? emptyPages + 1 : 0;
      next = page.NextShardIterator;
    }
  }

  // Records are trimmed between two calls, and a place in a shard is forgotten after 15 minutes, as where a laptop slept.
  const restarting = {
    delaysMs: restartDelaysMs,
    sleep,
    isRetryable: (error: unknown) =>
      isRefused(error, 'TrimmedDataAccessException', 'ExpiredIteratorException'),
  };
  /** What is not found any more has no record of the last 24 hours. */
  const unlessGone = async <Found>(work: Promise<Found>): Promise<Found | undefined> =>
    work.catch((error: unknown) => {
      if (isRefused(error, 'ResourceNotFoundException')) return undefined;
      throw error;
    });

  return {
    /**
     * Calls `use` with each record, in no order; a record can come again.
     * @returns when the oldest of the streams began, or undefined if none is left
     */
    async read(table: string, use: (record: StreamRecord) => void): Promise<Date | undefined> {
      let oldest: Date | undefined;
      for await (const StreamArn of streamsOf(table)) {
        const stream = await unlessGone(describe(StreamArn));
        if (stream === undefined) continue;
        oldest = oldest === undefined ? stream.began : earlierOf(oldest, stream.began);
        for (const chunk of chunksOf(stream.shards, shardsAtOnce))
          await Promise.all(chunk.map((shard) => unlessGone(retry(restarting, () => readShard(shard, use)))));
      }
      return oldest;
    },
  };
}
