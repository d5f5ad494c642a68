/** The queues for what the relay could not process: refused entries, and the positions of lost stream records. */
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { createDeadLetterQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export class RelayDeadLetters {
  readonly queue: Queue;

  /**
   * `RelayDeadLetters` is for people. Lambda sends the positions of records that failed until their last retry to
   * `LostRecords`, from which they are recovered and then handed on to the other one.
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
