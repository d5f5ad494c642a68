/** The function that records what carriers report: receipts, and messages from people. */
import type { Construct } from 'constructs';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { CapabilityProps } from '../capability-props.ts';

interface RecordProps extends CapabilityProps {
  readonly receipts: GatewayQueue;
}

export const recordTimeoutSeconds = 10;

export function createRecordReceipt(scope: Construct, { stage, storage, receipts }: RecordProps): void {
  const record = new GatewayFunction(scope, 'RecordReceipt', {
    stage,
    functionName: 'record-receipt',
    timeoutSeconds: recordTimeoutSeconds,
    settings: ['OPT_OUT_WORDS'],
  });
  storage.grant(record, 'messages', 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem');
  storage.grantIndex(record, 'messages', 'by-carrier-id');
  // The index finds the client that a person writes to.
  storage.grantIndex(record, 'messages', 'by-recipient');
  // The scan finds the client that a number belongs to.
  storage.grant(record, 'senders', 'Scan');
  storage.grant(record, 'clients', 'BatchGetItem');
  storage.grant(record, 'suppressions', 'UpdateItem');
  storage.grant(record, 'whatsapp-windows', 'GetItem', 'PutItem', 'Query');
  storage.grant(record, 'activity-log', 'PutItem');
  record.setVariables({ RECEIPTS_QUEUE_URL: receipts.queue.queueUrl });
  receipts.feed(record, { batchSize: 10, maxConcurrency: stage.concurrency.receipts });
  createAlarm(scope, 'UnreadableNotifications', {
    stage,
    metric: countedMetric(stage, 'UnreadableNotification'),
    meaning:
      'A carrier sent a receipt or a message in an unknown form; it goes to the dead-letter queue of the receipts.',
    runbook: 'unreadable-notifications',
  });
}
