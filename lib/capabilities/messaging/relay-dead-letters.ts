/** The dead-letter queue of the relay: positions in the stream of records that could not be processed, and refused entries. */
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { createDeadLetterQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export class RelayDeadLetters {
  readonly queue: Queue;

  constructor(scope: Construct, stage: StageSettings) {
    this.queue = createDeadLetterQueue(scope, 'RelayDeadLetters', stage, 'relay-changes');
  }

  /** Permits sending the entries that a service refuses permanently. */
  grantSend(to: GatewayFunction): void {
    this.queue.grant(to, 'sqs:SendMessage');
  }
}
