/** The run of each minute on the tables of a test, with queues that are lists. */
import { sendKinds } from '../../../shared/contract/channels.ts';
import { dynamoDueRows } from '../../../shared/due/due-rows.dynamo.ts';
import { type DueRun, queueDueRows } from '../../../shared/due/queue-due-rows.ts';
import { dueEntryOf, type OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { dueWebhookOf, type WebhookEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import type { TestTables } from '../engine/test-tables.ts';

export function dueRuns({ dynamo, names }: TestTables, clock: Clock) {
  const queued: OutboundEntry[] = [];
  const common = {
    waiting: async () => 0,
    reportBad: (_row: unknown, error: unknown) => {
      throw error;
    },
    clock,
    sleep: async () => undefined,
    budgetMs: 40_000,
  };

  async function queuedBy<Entry extends { readonly kind: string }>(
    run: Pick<DueRun<Entry>, 'rows' | 'entryOf' | 'kinds'>,
  ): Promise<Entry[]> {
    const entries: Entry[] = [];
    const { failures } = await queueDueRows({
      ...common,
      ...run,
      enqueue: async (some) => void entries.push(...some),
    });
    if (failures.length > 0) throw new AggregateError(failures);
    return entries;
  }

  return {
    queued,
    /** Returns the messages that the run queued. */
    async run(): Promise<OutboundEntry[]> {
      const rows = dynamoDueRows(dynamo, names.messages, 'message_id');
      const entries = await queuedBy({ rows, entryOf: dueEntryOf, kinds: sendKinds });
      queued.push(...entries);
      return entries;
    },
    /** Returns the webhooks that the run queued. */
    runWebhooks: (): Promise<WebhookEntry[]> =>
      queuedBy({
        rows: dynamoDueRows(dynamo, names.webhook_deliveries, 'delivery_id'),
        entryOf: dueWebhookOf,
        kinds: ['retries'],
      }),
  };
}
