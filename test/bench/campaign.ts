/**
 * How late a bulk that is scheduled for one second begins and ends on a local gateway, and that nothing of it comes early.
 * `npm run bench:campaign -- [messages]`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { chunksOf } from '../../shared/platform/long-lists.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { printMachine, printTable, quantile } from './figures.ts';
import { withOwnGateway } from './own-gateway.ts';

const total = Number(process.argv[2] ?? 1000);
/** At least a minute, and the time of the request. */
const aheadSeconds = 75;
const waitMaxSeconds = 180;

await withOwnGateway(1, async (gateway) => {
  const client = await gateway.newClient('campaign');
  const scheduledAt = new Date(Math.ceil(Date.now() / 1000 + aheadSeconds) * 1000);
  const { messages } = await gateway.call(client, 'POST', '/api/v1/sms/bulk', {
    message: 'Hello',
    recipients: Array.from({ length: total }, freshNumber),
    scheduled_at: scheduledAt.toISOString(),
  });
  const ids = (messages as { message_id: string }[]).map(({ message_id }) => message_id);
  const tableName = gateway.tables.messages ?? '';
  const store = dynamoMessageStore(gateway.database, { tableName, retentionDays: 1 });
  const lateMs = new Map<string, number>();
  await pause(scheduledAt.getTime() - Date.now());
  while (lateMs.size < ids.length && Date.now() < scheduledAt.getTime() + waitMaxSeconds * 1000) {
    await pause(2000);
    for (const some of chunksOf(
      ids.filter((id) => !lateMs.has(id)),
      100,
    )) {
      for (const { message_id, sent_at } of await store.getMany(some)) {
        if (sent_at !== undefined) lateMs.set(message_id, Date.parse(sent_at) - scheduledAt.getTime());
      }
    }
  }
  const all = [...lateMs.values()];
  printMachine(`npm run bench:campaign -- ${total}`);
  printTable(
    ['handed over', 'first, ms late', 'p50', 'last'],
    [[`${all.length} of ${total}`, ...[0, 0.5, 1].map((share) => String(quantile(all, share)))]],
  );
  process.exitCode = all.length === total && all.every((ms) => ms >= 0) ? 0 : 1;
});
process.exit();
