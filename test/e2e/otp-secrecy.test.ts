/**
 * No table, log, queue or answer contains the code of a one-time password, except the simulator's outbox; and a
 * recipient's number in no log.
 */
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { everyLog } from '../support/gateway/every-log.ts';
import { documentClient, eventually, gateway, sqsClient } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';

/** Ten digits, so that no other number can be mistaken for one. */
const code_length = 10;

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
});

it('after sends on both channels, right and wrong verifications and a refusal, no code is found anywhere and no number in a log', async () => {
  const responses: string[] = [];
  const codes: string[] = [];
  const numbers = ['15005550001', '15005550006'];
  const messageIds: string[] = [];
  const post = async (path: string, body: object) => {
    const response = await client.post(path, body);
    responses.push(response.text);
    return response;
  };
  for (const channel of ['sms', 'whatsapp'] as const) {
    const to = freshNumber();
    numbers.push(to.slice(1));
    const { body } = await post('/api/v1/otp/send', {
      to,
      channel,
      code_length,
      brand: 'ACME',
      max_attempts: 2,
    });
    const [entry] = await outboxOnce(to, 1);
    const code = /\d{10}/.exec(entry?.body ?? '')?.[0];
    if (code === undefined) throw new Error(`no code in the outbox: ${entry?.body}`);
    codes.push(code);
    messageIds.push(String(body.message_id));
    await post('/api/v1/otp/verify', { otp_id: body.otp_id, code: '0000000000' });
    if (channel === 'sms') await post('/api/v1/otp/verify', { otp_id: body.otp_id, code });
    await post('/api/v1/otp/verify', { otp_id: body.otp_id, code: '0000000000' });
  }
  // The carrier's refusal and its throttling are logged too.
  for (const to of ['+15005550001', '+15005550006']) {
    const { body } = await post('/api/v1/otp/send', { to, code_length, purpose: client.clientId });
    messageIds.push(String(body.message_id));
    if (to === '+15005550001') await client.statusOnce(body.message_id, 'failed');
    else await client.statusOnce(body.message_id, 'delivered');
  }
  for (const id of messageIds) {
    const status = await client.call('GET', `/api/v1/sms/status/${id}`);
    responses.push(status.text);
  }
  responses.push((await client.call('GET', '/api/v1/messages')).text);

  const text = [...responses, ...(await everyTable()), ...(await everyQueue())];
  const logs = await eventually(
    async () => {
      const lines = await everyLog();
      // The search means something only once the run's own lines are there.
      return messageIds.every((id) => lines.some((line) => line.includes(id))) ? lines : undefined;
      // Each look reads what all tests logged, which keeps the emulator from its other work.
    },
    { everyMilliseconds: 3000 },
  );
  const found = [...text, ...logs].filter((place) => codes.some((code) => place.includes(code)));
  expect(found).toEqual([]);
  expect(logs.filter((line) => numbers.some((number) => line.includes(number)))).toEqual([]);
});

async function everyTable(): Promise<string[]> {
  const dynamo = documentClient();
  const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}));
  const ours = TableNames.filter((name) => name.startsWith('messaging-gateway') && !name.includes('outbox'));
  expect(ours.length).toBeGreaterThanOrEqual(11);
  const rows: string[] = [];
  for (const TableName of ours) {
    let from: Record<string, unknown> | undefined;
    do {
      const page = await dynamo.send(
        new ScanCommand({ TableName, ...(from === undefined ? {} : { ExclusiveStartKey: from }) }),
      );
      rows.push(...(page.Items ?? []).map((item) => JSON.stringify(item)));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }
  dynamo.destroy();
  return rows;
}

/** The messages of the queues, dead-letter queues included; they stay in their queue. */
async function everyQueue(): Promise<string[]> {
  const sqs = sqsClient();
  const bodies = await Promise.all(
    Object.values(gateway().queues).map(async (QueueUrl) => {
      const command = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(command));
      return Messages.map((message) => message.Body ?? '');
    }),
  );
  sqs.destroy();
  return bodies.flat();
}
