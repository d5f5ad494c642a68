/** The queues for records that the relay could not process: refused entries, and the positions of lost stream records. */
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { createDeadLetterQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export class RelayDeadLetters {
  readonly queue: Queue;

  /**
   * `RelayDeadLetters` is for operators. Lambda sends the position of a record to `LostRecords` after the last retry. The record
   * is recovered from there, and then moves to `RelayDeadLetters`.
   */
  constructor(scope: Construct, id: 'RelayDeadLetters' | 'LostRecords', stage: StageSettings) {
    this.queue = createDeadLetterQueue(scope, id, stage);
  }

  grantSend(to: IGrantable): void {
    this.queue.grant(to, 'sqs:SendMessage');
  }

  grantReceive(to: GatewayFunction): void {
    this.queue.grant(to, 'sqs:ReceiveMessage', 'sqs:DeleteMessage');
  }
}
