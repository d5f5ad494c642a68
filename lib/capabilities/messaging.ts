/**
 * The path of a message after it is stored: from the table's stream to the relay, by the outbound queue of its kind to the
 * carrier, by the receipts queue back to its row. Messages without a final receipt are expired every minute.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type SendKind, sendKinds } from '../../shared/contract/send-kinds.ts';
import type { EnvironmentName } from '../../shared/platform/env.ts';
import { countedMetric, createAlarm } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import { deadLetterQueue, GatewayQueue, visibilityRuns } from '../constructs/gateway-queue.ts';
import { acknowledge } from '../constructs/template-rules.ts';
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

/**
 * The outbound queues, by kind of send (shared/message/send-kind.ts). An `id` must not change: the queue would be replaced,
 * and what it holds be late.
 */
const outboundQueues = {
  otp: {
    id: 'OtpOutbound',
    url: 'OTP_OUTBOUND_QUEUE_URL',
    arn: 'OTP_OUTBOUND_QUEUE_ARN',
    concurrency: 'otpSends',
    oldSeconds: 60,
  },
  single: {
    // The only queue of earlier releases: what was in it at the upgrade is handed over from there, of every kind.
    id: 'Outbound',
    url: 'OUTBOUND_QUEUE_URL',
    arn: 'OUTBOUND_QUEUE_ARN',
    concurrency: 'singleSends',
    oldSeconds: 900,
  },
  bulk: {
    id: 'BulkOutbound',
    url: 'BULK_OUTBOUND_QUEUE_URL',
    arn: 'BULK_OUTBOUND_QUEUE_ARN',
    concurrency: 'bulkSends',
    oldSeconds: 3600,
  },
} as const satisfies Record<
  SendKind,
  {
    readonly id: string;
    readonly url: EnvironmentName;
    readonly arn: EnvironmentName;
    readonly concurrency: keyof StageSettings['concurrency'];
    readonly oldSeconds: number;
  }
>;
/** A carrier has 8 s to take a message. */
const dispatchTimeoutSeconds = 15;
const recordTimeoutSeconds = 10;
/** A batch of a quiet night has a transaction for each of its minutes. */
const countTimeoutSeconds = 120;
const relayBehindMs = 60_000;
/** Enough for an outage of an hour or more: Lambda increases the delay between retries up to a minute. */
const relayRetries = 100;
/** A few refused numbers are normal; many at once mean a blocked sender or account. */
const carrierRefusals = 20;
/** Throttling by a burst ends within minutes; a throttled message is delayed for at most five. */
const carrierThrottles = 100;

export class Messaging extends Construct {
  readonly relay: GatewayFunction;
  private readonly outbound: Readonly<Record<SendKind, GatewayQueue>>;
  readonly receipts: GatewayQueue;
  /** Positions in streams of records that could not be processed, and refused entries. */
  readonly relayDeadLetters: Queue;
  private readonly storage: Storage;

  constructor(scope: Construct, id: string, props: MessagingProps) {
    super(scope, id);
    const { stage } = props;
    this.storage = props.storage;
    this.outbound = {
      otp: this.makeOutbound('otp', stage),
      single: this.makeOutbound('single', stage),
      bulk: this.makeOutbound('bulk', stage),
    };
    this.receipts = new GatewayQueue(this, 'Receipts', {
      stage,
      variable: 'RECEIPTS_QUEUE_URL',
      visibilitySeconds: visibilityRuns * recordTimeoutSeconds,
      // A receipt whose message is not found yet is received up to eight times (shared/message/receipts/record-receipt.ts).
      maxReceives: 15,
      oldSeconds: 300,
    });
    this.relayDeadLetters = deadLetterQueue(this, 'RelayDeadLetters', stage, 'relay-changes');
    this.relay = this.makeRelay(props);
    this.makeCountUsage(props);
    this.makeDispatch(props);
    this.makeRecordReceipt(props);
    this.makeExpire(props);
  }

  /** By the names of the stack outputs. */
  queueUrls(): Readonly<Record<string, string>> {
    return {
      ...Object.fromEntries(
        sendKinds.flatMap((kind) => [
          [`${outboundQueues[kind].id}Queue`, this.outbound[kind].queue.queueUrl],
          [`${outboundQueues[kind].id}DeadLetters`, this.outbound[kind].deadLetters.queueUrl],
        ]),
      ),
      ReceiptsQueue: this.receipts.queue.queueUrl,
      ReceiptsDeadLetters: this.receipts.deadLetters.queueUrl,
      RelayDeadLetters: this.relayDeadLetters.queueUrl,
    };
  }

  /** Permits sending entries that a service refuses permanently to the relay's dead-letter queue. */
  grantSetAside(to: GatewayFunction): void {
    this.relayDeadLetters.grant(to, 'sqs:SendMessage');
    to.setVariables({ RELAY_DEAD_LETTER_QUEUE_URL: this.relayDeadLetters.queueUrl });
    this.storage.grant(to, 'activity-log', 'PutItem');
  }

  private makeOutbound(kind: SendKind, stage: StageSettings): GatewayQueue {
    const { id, url, oldSeconds } = outboundQueues[kind];
    return new GatewayQueue(this, id, {
      stage,
      variable: url,
      visibilitySeconds: visibilityRuns * dispatchTimeoutSeconds,
      // Enough for an outage of a table or carrier of more than an hour; after that a person must redrive the message.
      maxReceives: 100,
      oldSeconds,
    });
  }

  /** Permits sending to all outbound queues. */
  private grantOutbound(to: GatewayFunction): void {
    for (const kind of sendKinds) this.outbound[kind].grantSend(to);
  }

  private makeRelay({ stage, storage, schedules }: MessagingProps): GatewayFunction {
    const relay = new GatewayFunction(this, 'RelayChanges', {
      stage,
      functionName: 'relay-changes',
      timeoutSeconds: 30,
      settings: ['RETENTION_DAYS', 'SCHEDULE_LEAD_SECONDS'],
    });
    storage.grant(relay, 'clients', 'GetItem');
    storage.grant(relay, 'webhook-endpoints', 'Query');
    storage.grant(relay, 'due-items', 'PutItem');
    // Endpoint health is stored in the same table as deliveries.
    storage.grant(relay, 'webhook-deliveries', 'GetItem');
    this.grantOutbound(relay);
    for (const kind of sendKinds) schedules.grantCreate(relay, this.outbound[kind], outboundQueues[kind].arn);
    this.grantSetAside(relay);
    new EventSourceMapping(this, 'MessagesStream', {
      target: relay.live,
      eventSourceArn: storage.grantStream(relay, 'messages'),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Nothing follows from a deletion (by TTL) or from the gateway's claim of a message (`sending`).
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.or('INSERT', 'MODIFY'),
          dynamodb: { NewImage: { status: { S: FilterRule.notEquals('sending') } } },
        }),
      ],
      // The relay itself sets aside entries that a service refuses permanently. For other records that fail for so long
      // the dead-letter queue gets their position in the stream, which keeps them for 24 hours. A batch fails as a
      // whole, so bisecting isolates a record that cannot be relayed.
      bisectBatchOnError: true,
      retryAttempts: relayRetries,
      maxRecordAge: Duration.hours(20),
      parallelizationFactor: 4,
      onFailure: new SqsDlq(this.relayDeadLetters),
    });
    createAlarm(this, 'RelayBehind', {
      stage,
      metric: relay.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
      threshold: relayBehindMs,
      periods: 3,
      meaning: 'The relay is more than a minute behind: messages and webhooks start late.',
      runbook: 'relay-behind',
    });
    createAlarm(this, 'UnreadableRecords', {
      stage,
      metric: countedMetric(stage, 'UnreadableStreamRecord'),
      meaning: 'A row of the messages table could not be read; it was sent to the relay dead-letter queue.',
      runbook: 'unreadable-records',
    });
    createAlarm(this, 'RefusedEntries', {
      stage,
      metric: countedMetric(stage, 'RefusedEntry'),
      meaning:
        'A service permanently refused a request that follows from a message; it was sent to the relay dead-letter queue.',
      runbook: 'refused-entries',
    });
    return relay;
  }

  /** The second of the two readers that a stream can have. */
  private makeCountUsage({ stage, storage }: MessagingProps): void {
    const count = new GatewayFunction(this, 'CountUsage', {
      stage,
      functionName: 'count-usage',
      timeoutSeconds: countTimeoutSeconds,
      settings: ['RETENTION_DAYS', 'OTP_HOLD'],
    });
    storage.grant(count, 'message-usage', 'UpdateItem');
    storage.grant(count, 'counted-changes', 'Query', 'PutItem');
    const mapping = new EventSourceMapping(this, 'UsageStream', {
      target: count.live,
      eventSourceArn: storage.grantStream(count, 'messages'),
      startingPosition: StartingPosition.TRIM_HORIZON,
      // A batch takes as many writes as it has clients, so large batches are cheap, and usage is a minute behind.
      batchSize: 1000,
      maxBatchingWindow: Duration.minutes(1),
      // Nothing is counted of a deletion.
      filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
    });
    const otps = this.countOtps(stage, storage, count);
    for (const each of [mapping, otps]) {
      acknowledge(each, {
        'Serverless-LambdaEventSourceMappingDestination':
          'A batch is retried as long as the stream keeps it: one that was skipped would be missing from usage.',
      });
    }
  }

  /** The same function counts one-time passwords and their verifications, and holds those of a client to a country. */
  private countOtps(stage: StageSettings, storage: Storage, count: GatewayFunction): EventSourceMapping {
    storage.grant(count, 'otp-traffic', 'UpdateItem', 'Query');
    storage.grant(count, 'otp-holds', 'GetItem', 'PutItem');
    storage.grant(count, 'activity-log', 'PutItem');
    createAlarm(this, 'OtpHeld', {
      stage,
      metric: countedMetric(stage, 'OtpHeld'),
      meaning: 'Few one-time passwords of a client to a country were verified; further ones are held.',
      runbook: 'otp-held',
    });
    const password = (status: string) => ({ status: { S: FilterRule.isEqual(status) } });
    return new EventSourceMapping(this, 'OtpStream', {
      target: count.live,
      eventSourceArn: storage.grantStream(count, 'one-time-passwords'),
      startingPosition: StartingPosition.TRIM_HORIZON,
      // A batch takes a few writes for each client and country in it. An attack is noticed this much later.
      batchSize: 1000,
      maxBatchingWindow: Duration.seconds(20),
      // New passwords and verified ones, not the attempts between them.
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { NewImage: password('pending') },
        }),
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('MODIFY'),
          dynamodb: { NewImage: password('verified') },
        }),
      ],
    });
  }

  private makeDispatch({ stage, storage, schedules, otpSecret }: MessagingProps): void {
    const dispatch = new GatewayFunction(this, 'DispatchMessage', {
      stage,
      functionName: 'dispatch-message',
      timeoutSeconds: dispatchTimeoutSeconds,
      settings: ['RETENTION_DAYS', 'STAGE_CAPS', ...carrierSettings(stage)],
      // The function queues a message that must wait again. This loop is intended and ends when the message expires;
      // Lambda would stop it after 16 rounds.
      recursiveLoop: true,
      files: { 'prices.json': JSON.stringify(stage.prices) },
    });
    dispatch.setVariables({ PRICES_FILE: 'prices.json' });
    storage.grant(dispatch, 'messages', 'UpdateItem');
    this.grantStartOfLegs(dispatch);
    storage.grant(dispatch, 'clients', 'GetItem');
    storage.grant(dispatch, 'sender-pace', 'GetItem', 'PutItem');
    storage.grant(dispatch, 'suppressions', 'GetItem', 'UpdateItem');
    storage.grant(dispatch, 'whatsapp-windows', 'GetItem');
    // The code of a one-time password is derived at hand-over.
    otpSecret.grantRead(dispatch);
    this.grantOutbound(dispatch);
    if (storage.has('simulator-outbox')) {
      storage.grant(dispatch, 'simulator-outbox', 'PutItem');
      // The simulated carrier sends receipts to the same queue as a real one.
      this.receipts.grantSend(dispatch);
    }
    if (stage.smsCarrier === 'aws' || stage.whatsappCarrier === 'aws') {
      new Carriers(this, 'Carriers', {
        stage,
        storage,
        schedules,
        dispatch,
        receipts: this.receipts,
      });
    }
    for (const kind of sendKinds) {
      const maxConcurrency = stage.concurrency[outboundQueues[kind].concurrency];
      this.outbound[kind].feed(dispatch, { batchSize: 10, maxConcurrency });
    }
    this.createCarrierAlarms(stage, dispatch);
  }

  /** A leg of a send with `fallback` is stored where no earlier one is delivered, and counts as a message of the client. */
  private grantStartOfLegs(dispatch: GatewayFunction): void {
    const { storage } = this;
    storage.grant(dispatch, 'messages', 'GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem');
    storage.grant(dispatch, 'limit-overrides', 'Query');
    storage.grant(dispatch, 'rate-counters', 'UpdateItem');
    // Notices of a spend cap.
    storage.grant(dispatch, 'activity-log', 'PutItem');
    storage.grant(dispatch, 'one-time-passwords', 'GetItem', 'PutItem');
    storage.grant(dispatch, 'otp-holds', 'Query');
  }

  private createCarrierAlarms(stage: StageSettings, dispatch: GatewayFunction): void {
    createAlarm(this, 'CarrierRefusals', {
      stage,
      metric: countedMetric(stage, 'CarrierRefusal'),
      threshold: carrierRefusals,
      meaning: `Carriers refused ${carrierRefusals} messages in five minutes.`,
      runbook: 'carrier-refusals',
    });
    // Throttled messages are queued again, so the age of the oldest message does not show them.
    createAlarm(this, 'CarrierThrottles', {
      stage,
      metric: countedMetric(stage, 'CarrierThrottle'),
      threshold: carrierThrottles,
      periods: 3,
      meaning: `Carriers throttled ${carrierThrottles} messages in five minutes, three times in a row.`,
      runbook: 'carrier-throttles',
    });
    // Read from the log line that each hand-over writes anyway; a metric of its own would cost another line.
    const spend = new MetricFilter(this, 'Spend', {
      logGroup: dispatch.logGroup,
      metricNamespace: 'MessagingGateway',
      metricName: 'MessageCost',
      filterPattern: FilterPattern.exists('$.cost'),
      metricValue: '$.cost',
      dimensions: { service: '$.service' },
    });
    createAlarm(this, 'SpendAlarm', {
      stage,
      metric: spend.metric({
        statistic: 'Sum',
        period: Duration.days(1),
        dimensionsMap: { service: stage.stackName },
      }),
      threshold: stage.spendAlarmPerDay,
      meaning: `Messages cost more than ${stage.spendAlarmPerDay} ${stage.prices.currency} in a day.`,
      runbook: 'spend',
    });
  }

  private makeRecordReceipt({ stage, storage }: MessagingProps): void {
    const record = new GatewayFunction(this, 'RecordReceipt', {
      stage,
      functionName: 'record-receipt',
      timeoutSeconds: recordTimeoutSeconds,
      settings: ['RETENTION_DAYS', 'OPT_OUT_WORDS'],
    });
    storage.grant(record, 'messages', 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem');
    storage.grantIndex(record, 'messages', 'by-carrier-id');
    // Finds the client that a person writes to.
    storage.grantIndex(record, 'messages', 'by-recipient');
    // Finds the client that a number belongs to.
    storage.grant(record, 'senders', 'Scan');
    storage.grant(record, 'clients', 'BatchGetItem');
    storage.grant(record, 'suppressions', 'UpdateItem');
    storage.grant(record, 'whatsapp-windows', 'PutItem');
    storage.grant(record, 'activity-log', 'PutItem');
    record.setVariables({ RECEIPTS_QUEUE_URL: this.receipts.queue.queueUrl });
    this.receipts.feed(record, { batchSize: 10, maxConcurrency: stage.concurrency.receipts });
    createAlarm(this, 'UnreadableNotifications', {
      stage,
      metric: countedMetric(stage, 'UnreadableNotification'),
      meaning:
        'A carrier sent a receipt or a message in a form that is not known; it goes to the dead-letter queue of the receipts.',
      runbook: 'unreadable-notifications',
    });
  }

  private makeExpire({ stage, storage, schedules }: MessagingProps): void {
    const expire = new GatewayFunction(this, 'ExpireMessages', {
      stage,
      functionName: 'expire-messages',
      timeoutSeconds: 50,
      settings: ['RETENTION_DAYS'],
    });
    // Queues a message again whose queue message was lost, until it expires.
    this.grantOutbound(expire);
    storage.grant(expire, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
    storage.grant(expire, 'messages', 'GetItem', 'BatchGetItem', 'UpdateItem');
    // Finds messages that the relay did not pass on, by listing the messages of all clients.
    storage.grantIndex(expire, 'messages', 'by-client');
    storage.grant(expire, 'clients', 'Scan');
    this.grantSetAside(expire);
    schedules.everyMinute(expire);
  }
}

/** The variables of the carriers that this stage uses. */
function carrierSettings(stage: StageSettings): EnvironmentName[] {
  return [
    'SMS_CARRIER',
    'WHATSAPP_CARRIER',
    ...(stage.smsCarrier === 'aws' ? (['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET'] as const) : []),
    ...(stage.smsCarrier === 'aws' && stage.smsProtectConfigurationId !== undefined
      ? (['SMS_PROTECT_CONFIGURATION'] as const)
      : []),
    ...(stage.whatsappCarrier === 'aws' ? (['WHATSAPP_PHONE_NUMBER_ID', 'META_API_VERSION'] as const) : []),
    ...(stage.whatsappCarrier === 'aws' && stage.whatsappOtpTemplate !== undefined
      ? (['WHATSAPP_OTP_TEMPLATE'] as const)
      : []),
  ];
}
