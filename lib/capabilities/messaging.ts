/**
 * The road of a message after it is stored: its table's stream to the relay, the outbound queue to the carrier,
 * the receipts queue back to its row, and the minute that ends what no receipt ended.
 */
import { Duration } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../../shared/platform/env.ts';
import { countedMetric, watch } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import { deadLetterQueue, GatewayQueue } from '../constructs/gateway-queue.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import { Carriers } from './carriers.ts';
import type { OtpSecret } from './otp-secret.ts';
import type { Schedules } from './schedules.ts';
import type { Storage } from './storage/storage.ts';

interface MessagingProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly schedules: Schedules;
  readonly otpSecret: OtpSecret;
}

/** A carrier has 8 s to take a message. */
const dispatchTimeoutSeconds = 15;
const recordTimeoutSeconds = 10;
const relayBehindMs = 60_000;
/** An outage of an hour or more: Lambda waits longer and longer between tries, up to a minute. */
const relayRetries = 100;
/** A few refused numbers are everyday; many at once are a sender or an account that is blocked. */
const carrierRefusals = 20;
/** A burst is over in minutes: the waits of a message grow to five. */
const carrierThrottles = 100;

export class Messaging extends Construct {
  readonly relay: GatewayFunction;
  readonly outbound: GatewayQueue;
  readonly receipts: GatewayQueue;
  private readonly relayDeadLetters: Queue;
  private readonly storage: Storage;

  constructor(scope: Construct, id: string, props: MessagingProps) {
    super(scope, id);
    const { stage } = props;
    this.storage = props.storage;
    this.outbound = new GatewayQueue(this, 'Outbound', {
      stage,
      variable: 'OUTBOUND_QUEUE_URL',
      consumerTimeoutSeconds: dispatchTimeoutSeconds,
      // More than an hour of a table or a carrier that is out of order: after that it takes a person to send it on.
      maxReceives: 100,
      oldSeconds: 900,
    });
    this.receipts = new GatewayQueue(this, 'Receipts', {
      stage,
      variable: 'RECEIPTS_QUEUE_URL',
      consumerTimeoutSeconds: recordTimeoutSeconds,
      // One whose message is not found yet is shown eight times on purpose (shared/message/receipts/record-receipt.ts).
      maxReceives: 15,
      oldSeconds: 300,
    });
    this.relayDeadLetters = deadLetterQueue(this, 'RelayDeadLetters', stage, 'relay-changes');
    this.relay = this.makeRelay(props);
    this.makeDispatch(props);
    this.makeRecordReceipt(props);
    this.makeExpire(props);
  }

  /** Under the names of the stack outputs that publish them. */
  queueUrls(): Readonly<Record<string, string>> {
    return {
      OutboundQueue: this.outbound.queue.queueUrl,
      OutboundDeadLetters: this.outbound.deadLetters.queueUrl,
      ReceiptsQueue: this.receipts.queue.queueUrl,
      ReceiptsDeadLetters: this.receipts.deadLetters.queueUrl,
      RelayDeadLetters: this.relayDeadLetters.queueUrl,
    };
  }

  /** Permits setting aside what a service refuses for good, and tells the function where. */
  grantSetAside(to: GatewayFunction): void {
    this.relayDeadLetters.grant(to, 'sqs:SendMessage');
    to.setVariables({ RELAY_DEAD_LETTER_QUEUE_URL: this.relayDeadLetters.queueUrl });
    this.storage.grant(to, 'activity-log', 'PutItem');
  }

  private makeRelay({ stage, storage, schedules }: MessagingProps): GatewayFunction {
    const relay = new GatewayFunction(this, 'RelayChanges', {
      stage,
      functionName: 'relay-changes',
      timeoutSeconds: 30,
      settings: ['RETENTION_DAYS', 'SCHEDULE_LEAD_SECONDS'],
    });
    storage.grant(relay, 'clients', 'GetItem');
    storage.grant(relay, 'due-items', 'PutItem');
    // The health of receivers, which stands among their deliveries.
    storage.grant(relay, 'webhook-deliveries', 'GetItem');
    storage.grant(relay, 'usage', 'UpdateItem');
    this.outbound.grantSend(relay);
    schedules.grantCreate(relay, this.outbound, 'OUTBOUND_QUEUE_ARN');
    this.grantSetAside(relay);
    const streamArn = storage.messagesStreamArn;
    Grant.addToPrincipal({
      grantee: relay,
      actions: [
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ],
      resourceArns: [streamArn],
    }).assertSuccess();
    new EventSourceMapping(this, 'MessagesStream', {
      target: relay.live,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // A removal is the TTL's work, and a claim for the carrier the gateway's own: nothing follows from either.
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.or('INSERT', 'MODIFY'),
          dynamodb: { NewImage: { status: { S: FilterRule.notEquals('sending') } } },
        }),
      ],
      // What a service refuses for good the relay sets aside itself. Whatever else fails for so long goes to the
      // dead-letter queue, by its place in the stream, while the stream has it for some hours more: it keeps a day.
      // The relay is all or nothing, so one record that cannot be relayed must be parted from its neighbours.
      bisectBatchOnError: true,
      retryAttempts: relayRetries,
      maxRecordAge: Duration.hours(20),
      parallelizationFactor: 4,
      onFailure: new SqsDlq(this.relayDeadLetters),
    });
    watch(this, 'RelayBehind', {
      stage,
      metric: relay.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
      threshold: relayBehindMs,
      periods: 3,
      says: 'The relay is more than a minute behind: messages and webhooks start late.',
      runbook: 'relay-behind',
    });
    watch(this, 'UnreadableRecords', {
      stage,
      metric: countedMetric(stage, 'UnreadableStreamRecord'),
      says: 'A row of the messages table could not be read and was set aside in the relay dead-letter queue.',
      runbook: 'unreadable-records',
    });
    watch(this, 'RefusedEntries', {
      stage,
      metric: countedMetric(stage, 'RefusedEntry'),
      says: 'A service refused for good what was to follow from a message; it was set aside.',
      runbook: 'refused-entries',
    });
    return relay;
  }

  private makeDispatch({ stage, storage, otpSecret }: MessagingProps): void {
    const dispatch = new GatewayFunction(this, 'DispatchMessage', {
      stage,
      functionName: 'dispatch-message',
      timeoutSeconds: dispatchTimeoutSeconds,
      settings: ['RETENTION_DAYS', ...carrierSettings(stage)],
      // A message that waits is queued anew, by the function that took it: a loop on purpose, which ends when the
      // message expires. Lambda would stop it after 16 rounds.
      recursiveLoop: true,
      files: { 'prices.json': JSON.stringify(stage.prices) },
    });
    dispatch.setVariables({ PRICES_FILE: 'prices.json' });
    storage.grant(dispatch, 'messages', 'UpdateItem');
    storage.grant(dispatch, 'clients', 'GetItem');
    // The codes of one-time passwords are made at hand-over.
    otpSecret.grantRead(dispatch);
    this.outbound.grantSend(dispatch);
    if (storage.has('simulator-outbox')) {
      storage.grant(dispatch, 'simulator-outbox', 'PutItem');
      // The simulated carrier reports by the road of the real one.
      this.receipts.grantSend(dispatch);
    }
    if (stage.smsCarrier === 'aws' || stage.whatsappCarrier === 'aws') {
      new Carriers(this, 'Carriers', { stage, dispatch, receipts: this.receipts });
    }
    this.outbound.feed(dispatch, { batchSize: 10, maxConcurrency: stage.concurrency.dispatch });
    this.watchCarriers(stage, dispatch);
  }

  private watchCarriers(stage: StageSettings, dispatch: GatewayFunction): void {
    watch(this, 'CarrierRefusals', {
      stage,
      metric: countedMetric(stage, 'CarrierRefusal'),
      threshold: carrierRefusals,
      says: `Carriers refused ${carrierRefusals} messages in five minutes.`,
      runbook: 'carrier-refusals',
    });
    // They are queued anew while they wait, so no message of the queue ever gets old.
    watch(this, 'CarrierThrottles', {
      stage,
      metric: countedMetric(stage, 'CarrierThrottle'),
      threshold: carrierThrottles,
      periods: 3,
      says: `Carriers put off ${carrierThrottles} messages in five minutes, three times in a row.`,
      runbook: 'carrier-throttles',
    });
    // Taken from the line that each hand-over writes anyway: a count of its own would be a line more to pay for.
    const spend = new MetricFilter(this, 'Spend', {
      logGroup: dispatch.logGroup,
      metricNamespace: 'MessagingGateway',
      metricName: 'MessageCost',
      filterPattern: FilterPattern.exists('$.cost'),
      metricValue: '$.cost',
      dimensions: { service: '$.service' },
    });
    watch(this, 'SpendAlarm', {
      stage,
      metric: spend.metric({
        statistic: 'Sum',
        period: Duration.days(1),
        dimensionsMap: { service: stage.stackName },
      }),
      threshold: stage.spendAlarmPerDay,
      says: `Messages cost more than ${stage.spendAlarmPerDay} ${stage.prices.currency} in a day.`,
      runbook: 'spend',
    });
  }

  private makeRecordReceipt({ stage, storage }: MessagingProps): void {
    const record = new GatewayFunction(this, 'RecordReceipt', {
      stage,
      functionName: 'record-receipt',
      timeoutSeconds: recordTimeoutSeconds,
      settings: ['RETENTION_DAYS'],
    });
    storage.grant(record, 'messages', 'GetItem', 'UpdateItem');
    storage.grantIndex(record, 'messages', 'by-carrier-id');
    record.setVariables({ RECEIPTS_QUEUE_URL: this.receipts.queue.queueUrl });
    this.receipts.feed(record, { batchSize: 10, maxConcurrency: stage.concurrency.receipts });
  }

  private makeExpire({ stage, storage, schedules }: MessagingProps): void {
    const expire = new GatewayFunction(this, 'ExpireMessages', {
      stage,
      functionName: 'expire-messages',
      timeoutSeconds: 50,
      settings: ['RETENTION_DAYS'],
    });
    // A message whose queue message was lost is queued again, as long as it may still be sent.
    this.outbound.grantSend(expire);
    storage.grant(expire, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
    storage.grant(expire, 'messages', 'GetItem', 'BatchGetItem', 'UpdateItem');
    // The walk for messages that the relay never passed on goes through the lists of all clients.
    storage.grantIndex(expire, 'messages', 'by-client');
    storage.grant(expire, 'clients', 'Scan');
    this.grantSetAside(expire);
    schedules.everyMinute(expire);
  }
}

/** What the carriers of this stage need to know; a carrier that the stage does not use needs nothing. */
function carrierSettings(stage: StageSettings): EnvironmentName[] {
  return [
    'SMS_CARRIER',
    'WHATSAPP_CARRIER',
    ...(stage.smsCarrier === 'aws' ? (['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET'] as const) : []),
    ...(stage.whatsappCarrier === 'aws' ? (['WHATSAPP_PHONE_NUMBER_ID', 'META_API_VERSION'] as const) : []),
    ...(stage.whatsappCarrier === 'aws' && stage.whatsappOtpTemplate !== undefined
      ? (['WHATSAPP_OTP_TEMPLATE'] as const)
      : []),
  ];
}
