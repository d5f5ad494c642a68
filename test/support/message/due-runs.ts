/** The run of each minute on the tables of a test, with queues that are lists. */
import { sendKinds } from '../../../shared/contract/channels.ts';
import { dueRowsOf } from '../../../shared/due/due-rows.dynamo.ts';
import { type DueRun, queueDueRows } from '../../../shared/due/queue-due-rows.ts';
import { dueEntryOf, type OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { dueWebhookOf, type WebhookEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';

export function dueRuns({ dynamo, names }: TestTables, clock: Clock) {
  const queued: OutboundEntry[] = [];
  const context = testContext({ dynamo, names }, { clock });

  async function queuedBy<Entry extends { readonly kind: string }>(
    run: Pick<DueRun<Entry>, 'rows' | 'entryOf' | 'kinds'>,
  ): Promise<Entry[]> {
    const entries: Entry[] = [];
    const { bad, failures } = await queueDueRows(context, {
      ...run,
      waiting: async () => 0,
      enqueue: async (some) => void entries.push(...some),
    });
    if (bad > 0 || failures.length > 0) throw new AggregateError(failures, `${bad} rows are bad`);
    return entries;
  }

  return {
    queued,
    /** Returns the messages that the run queued. */
    async run(): Promise<OutboundEntry[]> {
      const rows = dueRowsOf(context, names.messages, 'message_id');
      const entries = await queuedBy({ rows, entryOf: dueEntryOf, kinds: sendKinds });
      queued.push(...entries);
      return entries;
    },
    /** Returns the webhooks that the run queued. */
    runWebhooks: (): Promise<WebhookEntry[]> =>
      queuedBy({
        rows: dueRowsOf(context, names.webhook_deliveries, 'delivery_id'),
        entryOf: dueWebhookOf,
        kinds: ['retries'],
      }),
  };
}
