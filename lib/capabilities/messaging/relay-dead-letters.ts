/** The dead-letter queue of the relay: positions in the stream of records that could not be processed, and refused entries. */
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { createDeadLetterQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Storage } from '../storage/storage.ts';

export class RelayDeadLetters {
  readonly queue: Queue;
  private readonly storage: Storage;

  constructor(scope: Construct, stage: StageSettings, storage: Storage) {
    this.queue = createDeadLetterQueue(scope, 'RelayDeadLetters', stage, 'relay-changes');
    this.storage = storage;
  }

  /** Permits sending the entries that a service refuses permanently. */
  grantSetAside(to: GatewayFunction): void {
    this.queue.grant(to, 'sqs:SendMessage');
    to.setVariables({ RELAY_DEAD_LETTER_QUEUE_URL: this.queue.queueUrl });
    this.storage.grant(to, 'activity-log', 'PutItem');
  }
}
