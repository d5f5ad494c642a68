/** The function that records what carriers report: receipts, and messages from people. */
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { readFromLog } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/**
 * The time limit of the function `record-receipt`: a batch of ten callbacks of Meta, each with a thousand statuses, and a STOP for
 * two thousand clients must end within it. What does not would begin anew each time, with all that shares its batch.
 */
export const recordTimeoutSeconds = 60;

export function createRecordReceipt(scope: Construct, stage: StageSettings, receipts: GatewayQueue): void {
  const record = new GatewayFunction(scope, 'RecordReceipt', {
    stage,
    functionName: 'record-receipt',
    timeoutSeconds: recordTimeoutSeconds,
  });
  receipts.feed(record, { batchSize: 10, maxConcurrency: stage.concurrency.receipts });
  // Receipts of messages with test keys, which the simulated carrier reports, say nothing of the carriers.
  readFromLog(
    record,
    'ReceiptRecorded',
    FilterPattern.all(
      FilterPattern.stringValue('$.message', '=', 'receipt'),
      FilterPattern.stringValue('$.client_id', '!=', '*-test'),
    ),
  );
}
