/**
 * Opt-outs and messages from people by the thousand, on a local gateway of its own: of a bulk to 1,000 recipients ten are
 * suppressed; a person says STOP while 1,000 messages to them are queued and scheduled, later START; 1,000 messages
 * from people, most notified twice, arrive among notifications that nobody can read. `npm run test:release -- inbound`
 *
 * Exits with 1 unless 990 of the bulk are delivered and the ten have failed with the code of an opt-out, no message was
 * taken for its hand-over after STOP was stored and yet handed over, what is sent after START is delivered, every message
 * from a person is stored once, and each unreadable notification is kept and delays nothing.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoOutbox } from '../../shared/carrier/simulator/outbox.dynamo.ts';
import { inboundNotification, simulatorNumber } from '../../shared/carrier/simulator/simulated-recipients.ts';
import { inboundIdOf } from '../../shared/message/receive-message.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { dynamoSuppressionStore } from '../../shared/message/suppression/suppression-store.dynamo.ts';
import { sendMessages } from '../../shared/platform/aws/queues.sqs.ts';
import { type OwnGateway, withOwnGateway } from '../bench/own-gateway.ts';
import { putAllLimits, unreachable } from '../support/rate-limit/put-limits.ts';

const bulkSize = 1000;
const suppressedOfBulk = 10;
const waitingOfEachKind = 500;
const sendsAtOnce = 20;
/** The sender's pace, so that most messages to the person are still queued when the person says STOP. */
const messagesPerSecond = 5;
/** By then most of the queued ones are handed over or refused, on a slow machine. */
const scheduledInSeconds = 240;
const endsWithinSeconds = 600;
/** Four in five of these are notified twice. */
const fromPeople = 1000;
const sentTogether = 50;
const optedOut = 'recipient_opted_out';

const findings: string[] = [];
function check(holds: boolean, finding: string): void {
  console.log(`${holds ? 'ok   ' : 'FAIL '} ${finding}`);
  if (!holds) findings.push(finding);
}

await withOwnGateway(1, async (gateway) => {
  // The limits of the functions are too short for a machine with other work.
  const requestHandler = { connectionTimeout: 10_000, requestTimeout: 30_000 };
  const queues = new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false });
  await amongUnreadable(gateway, queues);
  await bulkWithSuppressed(gateway);
  await stopAndStart(gateway);
});
process.exit(findings.length === 0 ? 0 : 1);

async function bulkWithSuppressed(gateway: OwnGateway): Promise<void> {
  const clientId = await gateway.newClient('bulk');
  const recipients = Array.from({ length: bulkSize }, (_, index) => ({ to: `+44795${1_000_000 + index}` }));
  for (const { to } of recipients.slice(0, suppressedOfBulk))
    await gateway.call(clientId, 'PUT', `/api/v1/suppressions/${encodeURIComponent(to)}`, {});
  const startedAt = Date.now();
  const messageIds = await sendBulk(gateway, clientId, { message: 'Hello', recipients });
  const ended = await endedMessages(gateway, messageIds);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  const outcomes = ended.map(({ status, error_code }) => error_code ?? status);
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  check(
    count('delivered') === bulkSize - suppressedOfBulk && count(optedOut) === suppressedOfBulk,
    `bulk of ${bulkSize}, ${suppressedOfBulk} suppressed: ${count('delivered')} delivered, ${count(optedOut)} failed with ${optedOut}, after ${seconds} s`,
  );
}

async function stopAndStart(gateway: OwnGateway): Promise<void> {
  const { database, tables } = gateway;
  const clientId = await gateway.newClient('stop');
  await putAllLimits(database, tables.limit_overrides ?? '', clientId, unreachable);
  const sender = { destination: 'sms *', identity: simulatorNumber, messages_per_second: messagesPerSecond };
  await database.send(
    new PutCommand({ TableName: tables.senders, Item: { client_id: clientId, ...sender } }),
  );
  const adminId = await gateway.newClient('admin', ['admin']);
  const person = `+44795${randomInt(2_000_000, 9_999_999)}`;
  const say = (text: string) => gateway.call(adminId, 'POST', '/admin/api/inbound', { from: person, text });
  const sendOne = async (fields: object = {}) => {
    const body = { to: person, message: 'Hello', ...fields };
    return String((await gateway.call(clientId, 'POST', '/api/v1/sms/send', body)).message_id);
  };
  // One by one: a bulk sends to each recipient once.
  const sendMany = async (fields: object) => {
    const ids: string[] = [];
    while (ids.length < waitingOfEachKind)
      ids.push(...(await Promise.all(Array.from({ length: sendsAtOnce }, () => sendOne(fields)))));
    return ids;
  };
  // The client is known to whom the person answers.
  await endedMessages(gateway, [await sendOne()]);

  const scheduled_at = new Date(Date.now() + scheduledInSeconds * 1000).toISOString();
  const scheduled = await sendMany({ scheduled_at });
  const queued = await sendMany({});
  await say('STOP');
  const storedAt = await suppressed(gateway, clientId, person, true);
  const ended = await endedMessages(gateway, [...queued, ...scheduled]);
  const outbox = await dynamoOutbox(gateway.database, gateway.tables.simulator_outbox ?? '', 1).page(
    { to: person },
    { limit: 2 * (queued.length + scheduled.length) },
  );
  const handedOver = new Set(outbox.entries.map(({ message_id }) => message_id));
  const sent = ended.filter(({ message_id }) => handedOver.has(message_id));
  const late = sent.filter(({ sending_at = '' }) => sending_at > storedAt);
  const refused = ended.filter(({ error_code }) => error_code === optedOut);
  const ofKind = (ids: readonly string[]) => sent.filter(({ message_id }) => ids.includes(message_id)).length;
  check(
    scheduled.length === waitingOfEachKind &&
      queued.length === waitingOfEachKind &&
      late.length === 0 &&
      refused.length + sent.length === ended.length &&
      ofKind(scheduled) === 0,
    `STOP while ${queued.length} messages were queued and ${scheduled.length} scheduled: ${sent.length} handed over before it was stored ` +
      `(${ofKind(scheduled)} of the scheduled), ${late.length} after; ${refused.length} failed with ${optedOut}`,
  );

  await say('START');
  await suppressed(gateway, clientId, person, false);
  const [later] = await endedMessages(gateway, [await sendOne()]);
  check(later?.status === 'delivered', `after START: ${later?.status}`);
}

async function amongUnreadable(gateway: OwnGateway, queues: SQSClient): Promise<void> {
  const clientId = await gateway.newClient('replies');
  const people = Array.from({ length: 50 }, (_, index) => `+44796${1_000_000 + index}`);
  const own = await sendBulk(gateway, clientId, {
    message: 'Hello',
    recipients: people.map((to) => ({ to })),
  });
  await endedMessages(gateway, own);

  const notified = Array.from({ length: fromPeople }, (_, index) =>
    inboundNotification({
      channel: 'sms',
      from: people[index % people.length] ?? '',
      to: simulatorNumber,
      text: `Reply ${index}`,
      id: `reply-${index}`,
      at: new Date(),
    }),
  );
  const startedAt = Date.now();
  const bodies = [...notified, ...unreadable(), ...notified.slice(0, fromPeople * 0.8)];
  for (let first = 0; first < bodies.length; first += sentTogether) {
    const some = bodies.slice(first, first + sentTogether);
    await sendMessages(
      queues,
      gateway.queues.receipts ?? '',
      some.map((json) => ({ json, clientId: 'people' })),
    );
  }
  const [receipt] = await endedMessages(
    gateway,
    await sendBulk(gateway, clientId, { message: 'Hi', recipients: [{ to: people[0] }] }),
  );
  const ids = Array.from({ length: fromPeople }, (_, index) =>
    inboundIdOf({ channel: 'sms', carrierMessageId: `reply-${index}` }),
  );
  const stored = await endedMessages(gateway, ids);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  const listed = await allInbound(gateway, clientId);
  check(
    listed.length === fromPeople &&
      new Set(listed).size === fromPeople &&
      stored.every((one) => one.client_id === clientId),
    `${bodies.length} notifications of ${fromPeople} messages from people, ${unreadable().length} unreadable among them: ${listed.length} listed by their client, after ${seconds} s`,
  );
  check(receipt?.status === 'delivered', `a message that was sent meanwhile: ${receipt?.status}`);
  const kept = await keptNotifications(gateway, queues);
  check(kept === unreadable().length, `${kept} unreadable notifications are kept`);
}

function unreadable(): string[] {
  const of = (event: unknown) =>
    JSON.stringify({
      Type: 'Notification',
      Message: JSON.stringify(event),
      Timestamp: new Date().toISOString(),
    });
  const entry = (message: object) =>
    of({ whatsAppWebhookEntry: JSON.stringify({ changes: [{ value: { messages: [message] } }] }) });
  const odd = [
    'not JSON',
    '{}',
    of({ eventType: 'TEXT_HOLOGRAM' }),
    of({ inboundMessageId: 'odd', originationNumber: 'ACME', destinationNumber: '', messageBody: 5 }),
    entry({ from: '447700900123', id: 'wamid.odd', timestamp: '1763632800', type: 'constructor' }),
    entry({ from: '447700900123', id: 'wamid.odd', timestamp: '1763632800', type: 'hologram', hologram: {} }),
  ];
  return Array.from({ length: 60 }, (_, index) => odd[index % odd.length] ?? '');
}

async function allInbound(gateway: OwnGateway, clientId: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await gateway.call(clientId, 'GET', `/api/v1/messages?direction=inbound&limit=100${after}`);
    ids.push(...(page.messages as { message_id: string }[]).map(({ message_id }) => message_id));
    cursor = page.next_cursor as string | undefined;
  } while (cursor !== undefined);
  return ids;
}

/** In the queue, until it has delivered them often enough, or set aside. */
async function keptNotifications({ queues }: OwnGateway, client: SQSClient): Promise<number> {
  const counts = await Promise.all(
    [queues.receipts, queues.receipts_dead_letters].map(async (QueueUrl) => {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: [
            'ApproximateNumberOfMessages',
            'ApproximateNumberOfMessagesNotVisible',
            'ApproximateNumberOfMessagesDelayed',
          ],
        }),
      );
      return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function sendBulk(gateway: OwnGateway, clientId: string, body: object): Promise<string[]> {
  const { messages } = await gateway.call(clientId, 'POST', '/api/v1/sms/bulk', body);
  return (messages as { message_id: string }[]).map(({ message_id }) => message_id);
}

/** When the row was there, or gone: at most a few milliseconds later than it was written. */
async function suppressed(
  { database, tables }: OwnGateway,
  clientId: string,
  person: string,
  isWanted: boolean,
): Promise<string> {
  const suppressions = dynamoSuppressionStore(database, tables.suppressions ?? '', () => new Date());
  const endsAt = Date.now() + endsWithinSeconds * 1000;
  while (Date.now() < endsAt) {
    const found = await suppressions.get(clientId, person);
    if ((found !== undefined) === isWanted) return new Date().toISOString();
    await pause(5);
  }
  throw new Error(`${person} was not ${isWanted ? 'suppressed' : 'allowed'} within ${endsWithinSeconds} s`);
}

/** The messages when each has its last state. */
async function endedMessages({ database, tables }: OwnGateway, messageIds: readonly string[]) {
  const messages = dynamoMessageStore(database, { tableName: tables.messages ?? '', retentionDays: 30 });
  const isOpen = (status: string) => ['scheduled', 'queued', 'sending', 'sent'].includes(status);
  const endsAt = Date.now() + endsWithinSeconds * 1000;
  for (;;) {
    const found = await messages.getMany(messageIds);
    const open = found.filter(({ status }) => isOpen(status)).length;
    if (found.length === messageIds.length && open === 0) return found;
    if (Date.now() > endsAt) throw new Error(`${open} messages are open after ${endsWithinSeconds} s`);
    await pause(1000);
  }
}
