/**
 * `npm run bench -- handlers [requests per slice] [slices]`: sms/send and sms/status through the functions' own bundles,
 * against bare handlers on one DynamoDB Local, taking turns. A bare handler parses the body, makes the same AWS calls,
 * writes one line of log and answers in JSON: no authentication, no limits, no checks, no error handling.
 */
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { median, printMachine, printTable, quantile, ratiosOf } from './figures.ts';
import { applyLoad, type Load, takeTurns } from './load.ts';
import { silenceLog, startLocalFunctions } from './local-functions.ts';

const [requests = 100, slices = 31] = process.argv.slice(2).map(Number);
/** Until the engine and Node have compiled what they run. */
const warmUpRequests = 1500;

silenceLog();
printMachine(`npm run bench -- handlers ${requests} ${slices}`);
const local = await startLocalFunctions();
try {
  const { tables } = local;
  // Configured by the environment, as the functions are here and on AWS.
  const bare = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  /** A thousand numbers that are nobody's. */
  const bodyOf = (i: number) => ({
    to: `+447700900${String(i % 1000).padStart(3, '0')}`,
    message: 'Your parcel arrives today between 10 and 12.',
  });

  const send = async (i: number): Promise<string> => {
    const { statusCode, body } = await local.call('send-sms', {
      method: 'POST',
      path: '/api/v1/sms/send',
      body: bodyOf(i),
    });
    if (statusCode !== 202) throw new Error(`send answered ${statusCode}: ${body}`);
    return (JSON.parse(body) as { message_id: string }).message_id;
  };
  const messageId = await send(0);
  const { Item: row = {} } = await bare.send(
    new GetCommand({ TableName: tables.messages, Key: { message_id: messageId } }),
  );
  const status = async (): Promise<void> => {
    const { statusCode, body } = await local.call('get-message-status', {
      path: `/api/v1/sms/status/${messageId}`,
      pathParameters: { message_id: messageId },
    });
    if (statusCode !== 200) throw new Error(`status answered ${statusCode}: ${body}`);
  };

  /** The limiter's own call. */
  const count = (counter: string): Promise<unknown> =>
    bare.send(
      new UpdateCommand({
        TableName: tables.rate_counters,
        Key: { counter },
        UpdateExpression: 'ADD d :one, h10 :one, m0600 :one SET purge_at = :purge_at',
        ConditionExpression: ['d', 'h10', 'm0600']
          .map((window) => `(attribute_not_exists(${window}) OR ${window} < :${window})`)
          .join(' AND '),
        ExpressionAttributeValues: {
          ':one': 1,
          ':d': 10_000_000,
          ':h10': 1_000_000,
          ':m0600': 1_000_000,
          ':purge_at': 1_900_000_000,
        },
        ReturnValues: 'UPDATED_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  const answer = (statusCode: number, path: string, body: unknown) => {
    process.stdout.write(
      `${JSON.stringify({ level: 'INFO', timestamp: new Date().toISOString(), path, status: statusCode })}\n`,
    );
    const headers = { 'Content-Type': 'application/json' };
    return { statusCode, headers, body: JSON.stringify(body), isBase64Encoded: false };
  };
  const bareSend = async (i: number): Promise<void> => {
    const event = { path: '/api/v1/sms/send', body: JSON.stringify(bodyOf(i)) };
    await count('bare-send');
    const { to, message } = JSON.parse(event.body) as { to: string; message: string };
    const created_at = new Date().toISOString();
    const message_id = `msg_${randomBytes(13).toString('hex').toUpperCase()}`;
    const list_at = `${created_at}#${message_id}`;
    await bare.send(
      new PutCommand({
        TableName: tables.messages,
        Item: {
          ...row,
          message_id,
          recipient: to,
          text: message,
          created_at,
          queued_at: created_at,
          list_at,
        },
        ConditionExpression: 'attribute_not_exists(message_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    answer(202, event.path, { message_id, status: 'queued', channel: 'sms', recipient: to, created_at });
  };
  const bareStatus = async (): Promise<void> => {
    await count('bare-status');
    const Key = { message_id: messageId };
    const { Item } = await bare.send(
      new GetCommand({ TableName: tables.messages, Key, ConsistentRead: true }),
    );
    answer(200, `/api/v1/sms/status/${messageId}`, Item);
  };

  const rows: string[][] = [];
  for (const [name, own, its] of [
    ['sms/send', send, bareSend],
    ['sms/status', status, bareStatus],
  ] as const) {
    for (const work of [own, its]) await applyLoad(warmUpRequests, 8, work);
    for (const inFlight of [1, 8]) {
      const loads = await takeTurns({ own, its }, inFlight, { count: slices, work: requests });
      rows.push([
        `${name}, ${inFlight} in flight`,
        ...[loads.own, loads.its].map((load) => median(load.map(({ perSecond }) => perSecond)).toFixed(0)),
        ...[loads.own, loads.its].map(p99),
        ...ratiosOf(loads.own, loads.its),
      ]);
    }
  }
  printTable(['', 'requests/s', 'bare', 'p99 ms', 'bare', 'ratio', 'quartiles'], rows);
} finally {
  await local.stop();
}

function p99(loads: readonly Load[]): string {
  const latencies = loads.flatMap((load) => load.latenciesMs);
  return quantile(latencies, 0.99).toFixed(1);
}
