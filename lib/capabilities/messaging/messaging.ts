/**
 * The path of a stored message through streams and queues. The relay reads the table's stream. Each kind of send has an
 * outbound queue to its carrier. The receipts queue leads back to the message's row. Every minute, due messages are queued
 * again.
 */
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import { createCountUsage } from './count-usage-function.ts';
import { createDispatchMessage } from './dispatch-message-function.ts';
import { OutboundQueues } from './outbound-queues.ts';
import { createQueueDueRows } from './queue-due-rows-function.ts';
import { createRecordReceipt } from './record-receipt-function.ts';
import { createRelayChanges } from './relay-changes-function.ts';
import { RelayDeadLetters } from './relay-dead-letters.ts';

/**
 * Slightly above the time limit of `record-receipt`. This suffices, because recording a receipt twice at once changes
 * nothing.
 */
const receiptVisibilitySeconds = 70;

export class Messaging extends Construct {
  readonly outbound: OutboundQueues;
  readonly receipts: GatewayQueue;
  readonly deadLetters: RelayDeadLetters;
  readonly receiptsTopic: Topic | undefined;

  constructor(scope: Construct, id: string, props: CapabilityProps) {
    super(scope, id);
    const { stage, storage } = props;
    const outbound = new OutboundQueues(this, stage);
    const receipts = new GatewayQueue(this, 'Receipts', {
      stage,
      visibilitySeconds: receiptVisibilitySeconds,
      // A receipt is received up to eight times until its message is found (shared/message/dispatch/record-receipts.ts).
      maxReceives: 15,
    });
    this.deadLetters = new RelayDeadLetters(this, stage);
    createRelayChanges(this, props, this.deadLetters);
    createCountUsage(this, stage, storage);
    this.receiptsTopic = createDispatchMessage(this, { stage, outbound, receipts });
    createRecordReceipt(this, stage, receipts);
    createQueueDueRows(this, props);
    this.outbound = outbound;
    this.receipts = receipts;
  }
}
