/**
 * The path of a message after it is stored: from the table's stream to the relay, by the outbound queue of its kind to the
 * carrier, by the receipts queue back to its row. Messages without a final receipt are expired every minute.
 */
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import { createCountUsage } from './count-usage.ts';
import { createDispatchMessage } from './dispatch-message.ts';
import { createExpireMessages } from './expire-messages.ts';
import { OutboundQueues } from './outbound-queues.ts';
import { createRecordReceipt } from './record-receipt.ts';
import { createRelayChanges } from './relay-changes.ts';
import { RelayDeadLetters } from './relay-dead-letters.ts';

/** The visibility timeout is little longer than the time limit of `record-receipt`: a repeat at the same time changes nothing. */
const receiptVisibilitySeconds = 70;

export class Messaging extends Construct {
  readonly outbound: OutboundQueues;
  readonly receipts: GatewayQueue;
  readonly deadLetters: RelayDeadLetters;
  readonly lostRecords: RelayDeadLetters;
  readonly receiptsTopic: Topic | undefined;

  constructor(scope: Construct, id: string, props: CapabilityProps) {
    super(scope, id);
    const { stage, storage } = props;
    const outbound = new OutboundQueues(this, stage);
    const receipts = new GatewayQueue(this, 'Receipts', {
      stage,
      visibilitySeconds: receiptVisibilitySeconds,
      // A receipt whose message is not found yet is received up to eight times (shared/message/dispatch/record-receipts.ts).
      maxReceives: 15,
    });
    const lostRecords = new RelayDeadLetters(this, 'LostRecords', stage);
    createRelayChanges(this, { ...props, lostRecords });
    createCountUsage(this, stage, storage);
    this.receiptsTopic = createDispatchMessage(this, { ...props, outbound, receipts });
    createRecordReceipt(this, stage, receipts);
    createExpireMessages(this, props, lostRecords);
    this.outbound = outbound;
    this.receipts = receipts;
    this.deadLetters = new RelayDeadLetters(this, 'RelayDeadLetters', stage);
    this.lostRecords = lostRecords;
  }
}
