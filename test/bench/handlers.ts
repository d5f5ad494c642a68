/**
 * `npm run bench:handlers [requests per turn] [turns]`: sms/send and sms/status through the functions' own bundles,
 * against bare handlers that make the same AWS calls and nothing else, on one DynamoDB Local, taking turns.
 */
import { randomBytes } from 'node:crypto';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { countedDynamo } from './counted-dynamo.ts';
import { median, printMachine, printTable, quantile, ratio } from './figures.ts';
import { applyLoad, takeTurns } from './load.ts';
import { silenceLog, startLocalFunctions } from './local-functions.ts';

const [requests = 300, turns = 5] = process.argv.slice(2).map(Number);
silenceLog();
printMachine(`npm run bench:handlers -- ${requests} ${turns}`);
const local = await startLocalFunctions();
try {
  const { tables } = local;
  const bare = countedDynamo(local.config).documents;
  const text = { to: '+447700900123', message: 'Your parcel arrives today between 10 and 12.' };

  const send = async (): Promise<string> => {
    const { statusCode, body } = await local.call('send-sms', {
      method: 'POST',
      path: '/api/v1/sms/send',
      body: text,
    });
    if (statusCode !== 202) throw new Error(`send answered ${statusCode}: ${body}`);
    return (JSON.parse(body) as { message_id: string }).message_id;
  };
  const messageId = await send();
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
  const count = (counter: string): Promise<unknown> =>
    bare.send(
      new UpdateCommand({
        TableName: tables.rate_counters,
        Key: { counter },
        UpdateExpression: 'ADD d :one, h10 :one, m600 :one SET purge_at = :at',
        ConditionExpression:
          '(attribute_not_exists(d) OR d < :limit) AND (attribute_not_exists(h10) OR h10 < :limit)',
        ExpressionAttributeValues: { ':one': 1, ':limit': 10_000_000, ':at': 1_900_000_000 },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
  const bareSend = async (): Promise<void> => {
    await count('bare-send');
    const Item = { ...row, message_id: `msg_${randomBytes(13).toString('hex').toUpperCase()}` };
    const ConditionExpression = 'attribute_not_exists(message_id)';
    await bare.send(new PutCommand({ TableName: tables.messages, Item, ConditionExpression }));
  };
  const bareStatus = async (): Promise<void> => {
    await count('bare-status');
    const Key = { message_id: messageId };
    await bare.send(new GetCommand({ TableName: tables.messages, Key, ConsistentRead: true }));
  };

  const rows: string[][] = [];
  for (const [name, own, its] of [
    ['sms/send', send, bareSend],
    ['sms/status', status, bareStatus],
  ] as const) {
    await applyLoad(100, 8, own);
    await applyLoad(100, 8, its);
    for (const inFlight of [1, 8]) {
      const loads = await takeTurns(
        {
          own: () => applyLoad(requests, inFlight, own),
          bare: () => applyLoad(requests, inFlight, its),
        },
        turns,
      );
      const rate = (side: 'own' | 'bare'): number => median(loads[side].map((load) => load.perSecond));
      const p99 = (side: 'own' | 'bare'): string =>
        quantile(
          loads[side].flatMap((load) => load.latenciesMs),
          0.99,
        ).toFixed(1);
      rows.push([
        `${name}, ${inFlight} in flight`,
        rate('own').toFixed(0),
        rate('bare').toFixed(0),
        p99('own'),
        p99('bare'),
        ratio(rate('own') / rate('bare')),
      ]);
    }
  }
  printTable(['', 'requests/s', 'bare', 'p99 ms', 'bare', 'ratio'], rows);
} finally {
  await local.stop();
}
