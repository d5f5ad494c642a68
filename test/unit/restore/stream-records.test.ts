/** The streams of a table are read to their ends, whatever the service refuses meanwhile. */
import { json } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { dynamoStreamRecords } from '../../../shared/restore/stream-records.dynamo.ts';
import { startServer } from '../../support/http/local-server.ts';

interface Input {
  readonly TableName?: string;
  readonly ExclusiveStartStreamArn?: string;
  readonly StreamArn?: string;
  readonly ExclusiveStartShardId?: string;
  readonly ShardId?: string;
  readonly ShardIterator?: string;
}

interface Fault {
  readonly call: string;
  readonly code: string;
  readonly status?: number;
  /** How often; for ever by default. */
  times?: number;
}

/** Ids of records, in pages of one shard. */
type Pages = readonly (readonly string[])[];

const began = (stream: string) => (stream === 'old' ? 1_795_600_000 : 1_795_650_000);
/** A shard that is closed has a last page, however many are empty before it. */
const streams: Readonly<Record<string, Readonly<Record<string, Pages>>>> = {
  old: { closed: [['a', 'b'], ...Array(51).fill([]), ['c']] },
  new: { 'closed-too': [['d']], open: [[], ['e'], [], ['f']] },
};

/** A service with these streams, one stream and one shard in a page, and what a reader found in it. */
async function readWith(...faults: Fault[]) {
  const calls: string[] = [];
  const slept: number[] = [];
  const { url, close } = await startServer(async (request, response) => {
    const call = String(request.headers['x-amz-target']).replace('DynamoDBStreams_20120810.', '');
    calls.push(call);
    const input = (await json(request)) as Input;
    const fault = faults.find((each) => each.call === call && each.times !== 0);
    if (fault?.times !== undefined) fault.times -= 1;
    response.writeHead(fault === undefined ? 200 : (fault.status ?? 400));
    const refusal = { __type: `com.amazonaws.dynamodb.v20120810#${fault?.code}`, message: 'refused' };
    response.end(JSON.stringify(fault === undefined ? answerOf(call, input) : refusal));
  });
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const sleep = async (ms: number) => void slept.push(ms);
  const records = dynamoStreamRecords(client, sleep, url);
  const found: string[] = [];
  const oldest = await records.read('messages', ({ eventID = '' }) => found.push(eventID)).finally(close);
  return { found: [...new Set(found)].toSorted().join(''), times: found.length, oldest, calls, slept };
}

function answerOf(call: string, input: Input): object {
  const { StreamArn = '', ShardId = '', ShardIterator = '' } = input;
  switch (call) {
    case 'ListStreams': {
      const isLast = input.ExclusiveStartStreamArn === 'old';
      const more = isLast ? {} : { LastEvaluatedStreamArn: 'old' };
      return { Streams: [{ StreamArn: isLast ? 'new' : 'old', TableName: input.TableName }], ...more };
    }
    case 'DescribeStream': {
      const shards = Object.keys(streams[StreamArn] ?? {});
      const index = shards.indexOf(input.ExclusiveStartShardId ?? '') + 1;
      const [name = ''] = shards.slice(index);
      const end = name.startsWith('closed') ? { EndingSequenceNumber: '9' } : {};
      return {
        StreamDescription: {
          StreamArn,
          CreationRequestDateTime: began(StreamArn),
          Shards: [{ ShardId: name, SequenceNumberRange: { StartingSequenceNumber: '1', ...end } }],
          ...(index + 1 < shards.length ? { LastEvaluatedShardId: name } : {}),
        },
      };
    }
    case 'GetShardIterator':
      return { ShardIterator: `${StreamArn} ${ShardId} 0` };
    default: {
      const [stream = '', shard = '', page] = ShardIterator.split(' ');
      const pages = streams[stream]?.[shard] ?? [];
      const isEnd = shard.startsWith('closed') && Number(page) === pages.length - 1;
      return {
        Records: (pages[Number(page)] ?? []).map((eventID) => ({ eventID, dynamodb: {} })),
        NextShardIterator: isEnd ? null : `${stream} ${shard} ${Number(page) + 1}`,
      };
    }
  }
}

it('of all streams and shards, also over empty pages, and a shard without an end is left', async () => {
  const { found, times, oldest, slept } = await readWith();
  expect([found, times, slept]).toEqual(['abcdef', 6, []]);
  expect(oldest).toEqual(new Date(began('old') * 1000));
});

describe('a refusal', () => {
  it.each([
    { call: 'ListStreams', code: 'ThrottlingException' },
    { call: 'DescribeStream', code: 'LimitExceededException' },
    { call: 'GetShardIterator', code: 'ProvisionedThroughputExceededException' },
    { call: 'GetRecords', code: 'InternalServerError', status: 500 },
  ])('that passes is waited for: $call, $code', async (fault) => {
    const { found, slept } = await readWith({ ...fault, times: 3 });
    expect([found, slept.length]).toEqual(['abcdef', 3]);
  });

  it.each(['TrimmedDataAccessException', 'ExpiredIteratorException'])(
    'of a place in a shard begins with the oldest record again: %s',
    async (code) => {
      const { found, calls } = await readWith({ call: 'GetRecords', code, times: 2 });
      expect(found).toBe('abcdef');
      expect(calls.filter((call) => call === 'GetShardIterator')).toHaveLength(5);
    },
  );

  it('of a stream that is gone leaves the others', async () => {
    const gone = { code: 'ResourceNotFoundException', times: 1 };
    const { found, oldest } = await readWith({ call: 'DescribeStream', ...gone });
    expect([found, oldest]).toEqual(['def', new Date(began('new') * 1000)]);
    expect((await readWith({ call: 'GetShardIterator', ...gone })).found).toBe('def');
  });

  it.each([
    { code: 'AccessDeniedException', calls: 1 },
    { code: 'ThrottlingException', calls: 8 },
  ])('that stays ends the command with its reason: $code', async ({ code, calls }) => {
    const fault = { call: 'ListStreams', code, times: calls };
    await expect(readWith(fault)).rejects.toThrow(
      new RegExp(`answered ListStreams with 400.*${code}.*refused`),
    );
    expect(fault.times).toBe(0);
  });
});
