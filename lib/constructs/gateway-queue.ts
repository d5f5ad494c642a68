/** A standard queue with a dead-letter queue. */
import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageSettings } from '../stages/stage-settings.ts';
import { allow } from './allow.ts';
import { encryptionKey } from './encryption.ts';
import type { GatewayFunction } from './gateway-function.ts';
import { acknowledge } from './template-rules.ts';

export class GatewayQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly stage: StageSettings;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly stage: StageSettings;
      readonly visibilitySeconds: number;
      readonly maxReceives: number;
    },
  ) {
    super(scope, id);
    this.stage = props.stage;
    this.deadLetters = createDeadLetterQueue(this, 'DeadLetters', props.stage);
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout: Duration.seconds(props.visibilitySeconds),
      retentionPeriod: Duration.days(4),
      ...queueEncryption(this, props.stage),
      enforceSSL: !props.stage.emulator,
      deadLetterQueue: {
        queue: this.deadLetters,
        maxReceiveCount: props.maxReceives,
      },
    });
    acknowledgePlainHttp(this.queue, props.stage);
  }

  grantSend(to: IGrantable): void {
    allow(
      to,
      // On AWS, the permission sqs:SendMessage covers both calls.
      ['sqs:SendMessage', ...(this.stage.emulator ? ['sqs:SendMessageBatch'] : [])],
      [this.queue.queueArn],
    );
  }

  /** Invokes the function with batches. Only the messages that it reports as failed are received again. */
  feed(
    consumer: GatewayFunction,
    options: {
      /**
       * The maximum batch size, up to ten. A larger batch needs a batching window, in which a message may wait for 20
       * seconds.
       */
      readonly batchSize: number;
      readonly maxConcurrency: number;
    },
  ): void {
    consumer.live.addEventSource(
      new SqsEventSource(this.queue, {
        ...options,
        reportBatchItemFailures: true,
      }),
    );
    acknowledge(consumer, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A queue has no failure destination other than its redrive policy, which this one has.',
    });
  }
}

export function createDeadLetterQueue(
  scope: Construct,
  id: string,
  stage: StageSettings,
  visibilityTimeout?: Duration,
): Queue {
  const queue = new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    visibilityTimeout,
    ...queueEncryption(scope, stage),
    enforceSSL: !stage.emulator,
  });
  const isLast = 'This is a dead-letter queue: its messages stay until an operator has looked at them.';
  acknowledge(queue, { 'AwsSolutions-SQS3': isLast, 'Serverless-SQSRedrivePolicy': isLast });
  acknowledgePlainHttp(queue, stage);
  return queue;
}

function queueEncryption(scope: Construct, stage: StageSettings) {
  const key = encryptionKey(scope, stage);
  return key === undefined
    ? { encryption: QueueEncryption.SQS_MANAGED }
    : { encryption: QueueEncryption.KMS, encryptionMasterKey: key };
}

function acknowledgePlainHttp(queue: Queue, stage: StageSettings): void {
  if (stage.emulator)
    acknowledge(queue, { 'AwsSolutions-SQS4': 'The emulator on this machine serves http only.' });
}
