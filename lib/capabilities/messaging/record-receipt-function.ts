/** The function that stores receipts and inbound messages from carriers. */
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { readFromLog } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/**
 * The time limit of the function `record-receipt`. It suffices for ten callbacks of Meta with a thousand statuses each, and
 * for a STOP for two thousand clients. Longer work would restart from the beginning with its whole batch, again and again.
 */
export const recordTimeoutSeconds = 60;

export function createRecordReceipt(scope: Construct, stage: StageSettings, receipts: GatewayQueue): void {
  const record = new GatewayFunction(scope, 'RecordReceipt', {
    stage,
    functionName: 'record-receipt',
    timeoutSeconds: recordTimeoutSeconds,
  });
  receipts.feed(record, { batchSize: 10, maxConcurrency: stage.concurrency.receipts });
  // Excludes test messages, whose receipts come from the simulated carrier.
  readFromLog(
    record,
    'ReceiptRecorded',
    FilterPattern.all(
      FilterPattern.stringValue('$.message', '=', 'receipt'),
      FilterPattern.stringValue('$.client_id', '!=', '*-test'),
    ),
  );
}
