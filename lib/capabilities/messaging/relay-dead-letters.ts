/** The queue of stream records that the relay could not process, and of work that was set aside for an operator. */
import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { createDeadLetterQueue } from '../../constructs/gateway-queue.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** If a record fails again, the relay retries it after this time. */
const relayedAgainMinutes = 10;

export class RelayDeadLetters {
  readonly queue: Queue;

  constructor(scope: Construct, stage: StageSettings) {
    this.queue = createDeadLetterQueue(
      scope,
      'RelayDeadLetters',
      stage,
      Duration.minutes(relayedAgainMinutes),
    );
  }

  grantSend(to: IGrantable): void {
    this.queue.grant(to, 'sqs:SendMessage');
  }

  /** Invokes the relay with each record until it succeeds. */
  feed(relay: GatewayFunction): void {
    relay.live.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true }),
    );
    acknowledge(relay, {
      'Serverless-LambdaEventSourceMappingDestination':
        'The relay itself sets aside records that fail, and an alarm goes off if a record is older than an hour.',
    });
  }
}
