/** A standard queue with a dead-letter queue, and an alarm on the first message that ends there. */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../shared/env.ts';
import type { GatewayFunction } from './lambda-function.ts';
import type { StageSettings } from './stages.ts';

/** Visibility in run times of the consumer: a batch that died comes back soon, one that runs is not doubled. */
const visibilityRuns = 3;
/** A message that failed this often is not the victim of a passing fault. */
const defaultMaxReceives = 5;

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
  feed(consumer: GatewayFunction, options: { batchSize: number; maxConcurrency: number }): void {
    consumer.addEventSource(new SqsEventSource(this.queue, { ...options, reportBatchItemFailures: true }));
  }
}

/** Where messages rest that could not be handled, for a person to look at. */
export function deadLetterQueue(scope: Construct, id: string, stage: StageSettings, of: string): Queue {
  const queue = new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: stage.enforceSslOnQueues,
  });
  new Alarm(scope, `${id}Alarm`, {
    alarmDescription: `${of}: a message could not be handled. Read it in its dead-letter queue, mend, redrive.`,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  return queue;
}
