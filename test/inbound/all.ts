/**
 * Opt-outs by the thousand, over HTTP, on a local gateway of its own: of a bulk to 1,000 recipients ten are suppressed; and a
 * person says STOP while 1,000 messages to them are queued and scheduled, later START. `npm run test:opt-outs`
 *
 * Exits with 1 unless 990 of the bulk are delivered and the ten have failed with the code of an opt-out, no message was
 * taken for its hand-over after STOP was stored and yet handed over, and what is sent after START is delivered.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { dynamoOutbox } from '../../shared/carrier/simulator/outbox.dynamo.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { dynamoSuppressionStore } from '../../shared/message/suppression/suppression-store.dynamo.ts';
import { type OwnGateway, withOwnGateway } from '../bench/own-gateway.ts';

const bulkSize = 1000;
const suppressedOfBulk = 10;
const waitingOfEachKind = 500;
/** Until most of the queued ones are handed over or refused, on a slow machine. */
const scheduledInSeconds = 60;
const endsWithinSeconds = 600;
const optedOut = 'recipient_opted_out';

const findings: string[] = [];
function check(holds: boolean, finding: string): void {
  console.log(`${holds ? 'ok   ' : 'FAIL '} ${finding}`);
  if (!holds) findings.push(finding);
}

await withOwnGateway(1, async (gateway) => {
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
  const clientId = await gateway.newClient('stop');
  const adminId = await gateway.newClient('admin', ['admin']);
  const person = `+44795${randomInt(2_000_000, 9_999_999)}`;
  const say = (text: string) => gateway.call(adminId, 'POST', '/admin/api/inbound', { from: person, text });
  const bulk = (text: string) => ({
    message: text,
    recipients: Array.from({ length: waitingOfEachKind }, () => ({ to: person })),
  });
  const sendOne = async () => {
    const sent = await gateway.call(clientId, 'POST', '/api/v1/sms/send', { to: person, message: 'Hello' });
    return String(sent.message_id);
  };
  // The client is known to whom the person answers.
  await endedMessages(gateway, [await sendOne()]);

  const scheduled_at = new Date(Date.now() + scheduledInSeconds * 1000).toISOString();
  const scheduled = await sendBulk(gateway, clientId, { ...bulk('scheduled'), scheduled_at });
  const queued = await sendBulk(gateway, clientId, bulk('queued'));
  await say('STOP');
  const storedAt = await suppressed(gateway, clientId, person, true);
  const ended = await endedMessages(gateway, [...queued, ...scheduled]);
  const outbox = await dynamoOutbox(gateway.database, gateway.tables.simulator_outbox ?? '', 1).list(
    { to: person },
    2 * (queued.length + scheduled.length),
  );
  const handedOver = new Set(outbox.map(({ message_id }) => message_id));
  const sent = ended.filter(({ message_id }) => handedOver.has(message_id));
  const late = sent.filter(({ sending_at = '' }) => sending_at > storedAt);
  const refused = ended.filter(({ error_code }) => error_code === optedOut);
  const ofKind = (ids: readonly string[]) => sent.filter(({ message_id }) => ids.includes(message_id)).length;
  check(
    late.length === 0 && refused.length + sent.length === ended.length && ofKind(scheduled) === 0,
    `STOP while ${queued.length} messages were queued and ${scheduled.length} scheduled: ${sent.length} handed over before it was stored ` +
      `(${ofKind(scheduled)} of the scheduled), ${late.length} after; ${refused.length} failed with ${optedOut}`,
  );

  await say('START');
  await suppressed(gateway, clientId, person, false);
  const [later] = await endedMessages(gateway, [await sendOne()]);
  check(later?.status === 'delivered', `after START: ${later?.status}`);
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
  const suppressions = dynamoSuppressionStore(database, tables.suppressions ?? '');
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
