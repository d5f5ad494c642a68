/**
 * `npm run bench:pacing [messages] [per second]`: a bulk send of 20,000 from a sender of 50 a second on a gateway that it
 * starts on this machine. One-time passwords from the same sender and single sends of another client go in between. Prints
 * how long those waited, whether any second had more than the pace (by the times in the simulator's outbox), how well
 * `expected_end_at` was met, and how many messages the queue had in flight. Exits with 1 where a figure is not met.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoOutbox } from '../../shared/carrier/simulator/outbox.dynamo.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { dayOf } from '../../shared/platform/clock.ts';
import { chunksOf } from '../../shared/platform/split-into-chunks.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { gateway, sqsClient } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { newClient } from '../support/http/client.ts';
import { printMachine, printTable, quantile } from './figures.ts';

const [total = 20_000, perSecond = 50] = process.argv.slice(2).map(Number);
const probes = 100;
const rowsOfRequest = 1000;
/** Between two looks at the queue. */
const watchMs = 2000;
const limits = { otpMs: 2000, singleMs: 3000, pace: 0.02, expectedEnd: 0.05 };

printMachine(`npm run bench:pacing -- ${total} ${perSecond}`);
await startGateway();
try {
  await measure();
} finally {
  await stopGateway();
}

async function measure(): Promise<void> {
  const { tables, queues } = gateway();
  // The limits of the functions are too short for a machine with other work.
  const requestHandler = { connectionTimeout: 10_000, requestTimeout: 10_000 };
  const database = documentClient(dynamoClient({ requestHandler }));
  const messages = dynamoMessageStore(database, { tableName: tables.messages ?? '', retentionDays: 1 });
  const [bulkClient, otherClient] = [await newClient(), await newClient()];
  const sender = { destination: 'sms *', identity: '+447911000000', messages_per_second: perSecond };
  await database.send(
    new PutCommand({ TableName: tables.senders, Item: { client_id: bulkClient.clientId, ...sender } }),
  );
  const sendOtp = () => bulkClient.send({ to: freshNumber() }, '/api/v1/otp/send');
  const sendSingle = () => otherClient.send({ to: freshNumber(), message: 'Hello' });
  const sent = async (ids: readonly string[]): Promise<boolean> => {
    for (const some of chunksOf([...ids], 1000)) {
      const rows = await messages.getFilterFields(some);
      if (rows.some(({ status }) => status === 'queued' || status === 'sending' || status === 'scheduled'))
        return false;
    }
    return true;
  };

  // Starts the functions.
  const warm = [await sendOtp(), await sendSingle()];
  while (!(await sent(warm))) await pause(500);

  const began = Date.now();
  const bulk: string[] = [];
  let expectedEndMs = 0;
  for (let from = 0; from < total; from += rowsOfRequest) {
    const recipients = Array.from({ length: Math.min(rowsOfRequest, total - from) }, freshNumber);
    const { status, body } = await bulkClient.post('/api/v1/sms/bulk', { message: 'Hello', recipients });
    if (status !== 202) throw new Error(JSON.stringify(body));
    expectedEndMs = Date.parse(String(body.expected_end_at));
    bulk.push(...(body.messages as { message_id: string }[]).map(({ message_id }) => message_id));
  }
  console.log(`${total} stored in ${((Date.now() - began) / 1000).toFixed(1)} s`);

  const otps: string[] = [];
  const singles: string[] = [];
  const everyMs = Math.max(100, ((total / perSecond) * 800) / probes);
  const probing = (async () => {
    for (let probe = 0; probe < probes; probe += 1) {
      await Promise.all([
        sendOtp().then((id) => otps.push(id)),
        sendSingle().then((id) => singles.push(id)),
        pause(everyMs),
      ]);
    }
  })();
  const inFlight: number[] = [];
  let done = false;
  const watching = (async () => {
    // With limits of its own, as the tables.
    const queue = sqsClient();
    while (!done) {
      const { Attributes = {} } = await queue.send(
        new GetQueueAttributesCommand({
          QueueUrl: queues.bulk_outbound ?? '',
          AttributeNames: ['ApproximateNumberOfMessagesNotVisible', 'ApproximateNumberOfMessagesDelayed'],
        }),
      );
      inFlight.push(Number(Attributes.ApproximateNumberOfMessagesNotVisible));
      if (inFlight.length % 15 === 1)
        console.log(
          `${((Date.now() - began) / 1000).toFixed(0)} s: ${inFlight.at(-1)} in flight, ${Attributes.ApproximateNumberOfMessagesDelayed} delayed`,
        );
      await pause(watchMs);
    }
  })();
  await probing;
  while (!(await sent([...bulk, ...otps, ...singles]))) await pause(2000);
  done = true;
  await watching;

  const outbox = dynamoOutbox(database, tables.simulator_outbox ?? '', 1);
  const days = [
    dayOf(new Date()),
    ...(dayOf(new Date(began)) === dayOf(new Date()) ? [] : [dayOf(new Date(began))]),
  ];
  const entries = await outbox.list({ days }, 10 * total + 1000);
  const atMs = new Map(entries.map(({ message_id, at }) => [message_id, Date.parse(at)]));
  if (atMs.size !== entries.length) throw new Error('a message was handed over twice');
  const times = (ids: readonly string[]) => ids.map((id) => atMs.get(id) ?? Number.NaN);
  const waits = async (ids: readonly string[]) => {
    const rows = await messages.getMany(ids);
    return rows.map(
      ({ message_id, created_at }) => (atMs.get(message_id) ?? Number.NaN) - Date.parse(created_at),
    );
  };

  const ofSender = [...times(bulk), ...times(otps)];
  const bySecond = [...Map.groupBy(ofSender, (time) => Math.floor(time / 1000))].map(
    ([, some]) => some.length,
  );
  const first = Math.min(...times(bulk));
  const last = Math.max(...ofSender);
  const achieved = ofSender.length / ((last - first) / 1000 + 1);
  const endError = (last - expectedEndMs) / (expectedEndMs - began);
  // In a short run the one-time passwords that went before are a large part of all messages.
  const ownEndError = endError - (otps.length * 1000) / perSecond / (expectedEndMs - began);
  const rows = [
    ['one-time passwords', ...summary(await waits(otps))],
    ['single sends of another client', ...summary(await waits(singles))],
  ];
  printTable(['seconds until handed over', 'p50', 'p99', 'longest'], rows);
  console.log(`\nmost in one second: ${Math.max(...bySecond)} (pace ${perSecond})`);
  console.log(`pace: ${achieved.toFixed(2)} a second, ${percent(achieved / perSecond - 1)} off`);
  console.log(
    `expected_end_at: ${percent(endError)} off, ${percent(ownEndError)} without the one-time passwords that went before`,
  );
  const steady = inFlight.slice(2, -3);
  console.log(
    `in flight: median ${quantile(steady, 0.5)}, most ${Math.max(...steady)}, first half ${mean(steady.slice(0, steady.length / 2))}, second half ${mean(steady.slice(steady.length / 2))}`,
  );
  const unmet = [
    [quantile(await waits(otps), 0.99) > limits.otpMs, 'one-time passwords waited too long'],
    [quantile(await waits(singles), 0.99) > limits.singleMs, 'single sends waited too long'],
    [Math.max(...bySecond) > perSecond, 'a second had more than the pace'],
    [Math.abs(achieved / perSecond - 1) > limits.pace, 'the pace was not kept'],
    [Math.abs(ownEndError) > limits.expectedEnd, 'expected_end_at was wrong'],
  ].flatMap(([isUnmet, what]) => (isUnmet ? [String(what)] : []));
  for (const what of unmet) console.log(`NOT MET: ${what}`);
  if (unmet.length > 0) process.exitCode = 1;
}

function summary(waitsMs: readonly number[]): string[] {
  return [0.5, 0.99, 1].map((fraction) => (quantile(waitsMs, fraction) / 1000).toFixed(2));
}

function mean(values: readonly number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(0);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
