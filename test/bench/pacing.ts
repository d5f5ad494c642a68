/**
 * `npm run bench -- pacing [messages] [per second] [simulated]`: a bulk send of 20,000 from a sender of 50 a second on a
 * gateway that it starts on this machine, or `simulated` with a virtual clock. One-time passwords from the same sender and
 * single sends of another client go in between. Prints how long those waited, whether any second had more than the pace (by
 * the times in the simulator's outbox), how well `expected_end_at` was met, and how many messages the queue had in flight.
 * Exits with 1 where a figure is not met.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoOutbox } from '../../shared/carrier/simulator/outbox.dynamo.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { dayOf } from '../../shared/platform/clock.ts';
import { chunksOf } from '../../shared/platform/long-lists.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { gateway, sqsClient } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { newClient } from '../support/http/client.ts';
import { type PacedRun, pacingFigures, waitColumns } from '../support/message/pacing-figures.ts';
import { simulatedPacing } from '../support/message/simulated-pacing.ts';
import { printMachine, printTable } from './figures.ts';

const [totalGiven, perSecondGiven, how] = process.argv.slice(2);
const [total, perSecond] = [Number(totalGiven ?? 20_000), Number(perSecondGiven ?? 50)];
const probes = 100;
const rowsOfRequest = 1000;
/** The emulator's stream has one shard: what is stored at once by the thousand is relayed seconds later. */
const betweenRequestsMs = 2000;
/** Between two looks at the queue. */
const watchMs = 2000;

printMachine(`npm run bench -- pacing ${total} ${perSecond}${how === undefined ? '' : ` ${how}`}`);
if (how === 'simulated') print(await simulatedPacing({ total, perSecond, seed: 1 }));
else {
  await startGateway();
  try {
    print(await measure());
  } finally {
    await stopGateway();
  }
}

async function measure(): Promise<PacedRun> {
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
  /** Looks at few messages at a time, so that the looking takes nothing from the hand-overs. */
  const untilSent = async (ids: readonly string[]): Promise<void> => {
    for (const some of chunksOf(ids, 100)) {
      for (;;) {
        const rows = await messages.getFilterFields(some);
        if (!rows.some(({ status }) => status === 'queued' || status === 'sending')) break;
        await pause(2000);
      }
    }
  };

  // Starts the functions.
  await untilSent([await sendOtp(), await sendSingle()]);

  const beganMs = Date.now();
  const bulk: string[] = [];
  let expectedEndMs = 0;
  const batchIds: string[] = [];
  for (let from = 0; from < total; from += rowsOfRequest) {
    if (from > 0) await pause(betweenRequestsMs);
    const recipients = Array.from({ length: Math.min(rowsOfRequest, total - from) }, freshNumber);
    const { status, body } = await bulkClient.post('/api/v1/sms/bulk', { message: 'Hello', recipients });
    if (status !== 202) throw new Error(JSON.stringify(body));
    expectedEndMs = Date.parse(String(body.expected_end_at));
    batchIds.push(String(body.batch_id));
    bulk.push(...(body.messages as { message_id: string }[]).map(({ message_id }) => message_id));
  }
  console.log(`${total} stored in ${((Date.now() - beganMs) / 1000).toFixed(1)} s`);

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
  const askingAtHalf = pause((expectedEndMs - Date.now()) / 2).then(async () => {
    let endMs = 0;
    for (const batchId of batchIds) {
      const { body } = await bulkClient.call('GET', `/api/v1/sms/status/${batchId}`);
      endMs = Math.max(endMs, Date.parse(String(body.expected_end_at ?? new Date(0).toISOString())));
      // Each reads a thousand rows.
      await pause(2000);
    }
    return endMs;
  });
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
          `${((Date.now() - beganMs) / 1000).toFixed(0)} s: ${inFlight.at(-1)} in flight, ${Attributes.ApproximateNumberOfMessagesDelayed} delayed`,
        );
      await pause(watchMs);
    }
  })();
  await probing;
  const expectedEndAtHalfMs = await askingAtHalf;
  await pause(Math.max(0, expectedEndMs - Date.now()));
  await untilSent([...bulk, ...otps, ...singles]);
  done = true;
  await watching;

  const outbox = dynamoOutbox(database, tables.simulator_outbox ?? '', 1);
  const days = [
    dayOf(new Date()),
    ...(dayOf(new Date(beganMs)) === dayOf(new Date()) ? [] : [dayOf(new Date(beganMs))]),
  ];
  const { entries } = await outbox.page({ days }, { limit: 10 * total + 1000 });
  const atMs = new Map(entries.map(({ message_id, at }) => [message_id, Date.parse(at)]));
  if (atMs.size !== entries.length) throw new Error('a message was handed over twice');
  const times = (ids: readonly string[]) => ids.map((id) => atMs.get(id) ?? Number.NaN);
  const waits = async (ids: readonly string[]) => {
    const rows = await messages.getMany(ids);
    return rows.map(
      ({ message_id, created_at }) => (atMs.get(message_id) ?? Number.NaN) - Date.parse(created_at),
    );
  };
  return {
    perSecond,
    beganMs,
    bulkMs: times(bulk),
    otpMs: times(otps),
    otpWaitsMs: await waits(otps),
    singleWaitsMs: await waits(singles),
    expectedEndMs,
    expectedEndAtHalfMs,
    inFlight,
  };
}

function print(run: PacedRun): void {
  const { waits, lines, unmet } = pacingFigures(run);
  printTable(waitColumns, waits);
  console.log(`\n${lines.join('\n')}`);
  for (const what of unmet) console.log(`NOT MET: ${what}`);
  if (unmet.length > 0) process.exitCode = 1;
}
