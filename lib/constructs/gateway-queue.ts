/** A standard queue with a dead-letter queue, and an alarm on the first message that ends there. */
import { Duration } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../../shared/platform/env.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import { watch } from './alarm.ts';
import type { GatewayFunction } from './gateway-function.ts';
import { acknowledge } from './template-rules.ts';

/** Visibility in run times of the consumer: a batch that died comes back soon, one that runs is not doubled. */
const visibilityRuns = 3;
/** A message that failed this often is not the victim of a passing fault. */
const defaultMaxReceives = 5;

interface BatchOptions {
  /** Above ten only with a window. */
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** For how long a batch waits for company; without one it goes at once. */
  readonly batchingWindowSeconds?: number;
}

export class GatewayQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly variable: EnvironmentName;
  private readonly stage: StageSettings;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly stage: StageSettings;
      /** The variable that tells a sender the queue's URL. */
      readonly variable: EnvironmentName;
      readonly consumerTimeoutSeconds: number;
      readonly maxReceives?: number;
      /** A message that waits longer than this is told of. */
      readonly oldSeconds: number;
    },
  ) {
    super(scope, id);
    this.variable = props.variable;
    this.stage = props.stage;
    this.deadLetters = deadLetterQueue(this, 'DeadLetters', props.stage, id);
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout: Duration.seconds(props.consumerTimeoutSeconds * visibilityRuns),
      retentionPeriod: Duration.days(4),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: props.stage.enforceSslOnQueues,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives ?? defaultMaxReceives },
    });
    acknowledgePlainHttp(this.queue, props.stage);
    watch(this, 'Old', {
      stage: props.stage,
      metric: this.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: props.oldSeconds,
      periods: 3,
      says: `${id}: the oldest message has waited longer than ${props.oldSeconds} s.`,
      runbook: 'old-messages',
    });
  }

  /** Permits sending, and tells the function the queue's URL. */
  grantSend(to: GatewayFunction): void {
    Grant.addToPrincipal({
      grantee: to,
      actions: ['sqs:SendMessage', ...(this.stage.grantSendMessageBatch ? ['sqs:SendMessageBatch'] : [])],
      resourceArns: [this.queue.queueArn],
    });
    to.setVariables({ [this.variable]: this.queue.queueUrl });
  }

  /** Has the function called with batches; it reports the messages that failed, and only those come back. */
  feed(consumer: GatewayFunction, options: BatchOptions): void {
    const { batchingWindowSeconds, ...rest } = options;
    consumer.live.addEventSource(
      new SqsEventSource(this.queue, {
        ...rest,
        ...(batchingWindowSeconds === undefined
          ? {}
          : { maxBatchingWindow: Duration.seconds(batchingWindowSeconds) }),
        reportBatchItemFailures: true,
      }),
    );
    acknowledge(consumer, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A queue knows no destination of failures but its redrive policy, which this one has.',
    });
  }
}

/** Where messages rest that could not be handled, for a person to look at. */
export function deadLetterQueue(scope: Construct, id: string, stage: StageSettings, of: string): Queue {
  const queue = new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: stage.enforceSslOnQueues,
  });
  watch(scope, `${id}Alarm`, {
    stage,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
    says: `${of}: a message could not be handled and rests in the dead-letter queue.`,
    runbook: 'dead-letters',
  });
  const isLast = 'It is a dead-letter queue: what comes here stays until a person has looked.';
  acknowledge(queue, { 'AwsSolutions-SQS3': isLast, 'Serverless-SQSRedrivePolicy': isLast });
  acknowledgePlainHttp(queue, stage);
  return queue;
}

function acknowledgePlainHttp(queue: Queue, stage: StageSettings): void {
  if (!stage.enforceSslOnQueues)
    acknowledge(queue, { 'AwsSolutions-SQS4': 'The emulator on this machine serves http only.' });
}
