/**
 * The path of a message after it is stored: from the table's stream to the relay, by the outbound queue of its kind to the
 * carrier, by the receipts queue back to its row. Messages without a final receipt are expired every minute.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { createDeadLetterQueue, GatewayQueue, visibilityRuns } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { OtpSecret } from '../otp-secret.ts';
import type { Schedules } from '../schedules.ts';
import type { Storage } from '../storage/storage.ts';
import { createCountUsage } from './count-usage.ts';
import { createDispatch } from './dispatch.ts';
import { OutboundQueues } from './outbound-queues.ts';

interface MessagingProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly schedules: Schedules;
  readonly otpSecret: OtpSecret;
}

const recordTimeoutSeconds = 10;
const relayBehindMs = 60_000;
/** Enough for an outage of an hour or more: Lambda increases the delay between retries up to a minute. */
const relayRetries = 100;

export class Messaging extends Construct {
  readonly relay: GatewayFunction;
  private readonly outbound: OutboundQueues;
  readonly receipts: GatewayQueue;
  /** Positions in streams of records that could not be processed, and refused entries. */
  readonly relayDeadLetters: Queue;
  private readonly storage: Storage;

  constructor(scope: Construct, id: string, props: MessagingProps) {
    super(scope, id);
    const { stage } = props;
    this.storage = props.storage;
    this.outbound = new OutboundQueues(this, stage);
    this.receipts = new GatewayQueue(this, 'Receipts', {
      stage,
      variable: 'RECEIPTS_QUEUE_URL',
      visibilitySeconds: visibilityRuns * recordTimeoutSeconds,
      // A receipt whose message is not found yet is received up to eight times (shared/message/receipts/record-receipts.ts).
      maxReceives: 15,
      oldSeconds: 300,
    });
    this.relayDeadLetters = createDeadLetterQueue(this, 'RelayDeadLetters', stage, 'relay-changes');
    this.relay = this.createRelay(props);
    createCountUsage(this, stage, props.storage);
    createDispatch(this, { ...props, outbound: this.outbound, receipts: this.receipts });
    this.createRecordReceipt(props);
    this.createExpire(props);
  }

  /** By the names of the stack outputs. */
  queueUrls(): Readonly<Record<string, string>> {
    return {
      ...this.outbound.urls(),
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

  private createRelay({ stage, storage, schedules }: MessagingProps): GatewayFunction {
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
    this.outbound.grantSend(relay);
    this.outbound.grantSchedules(relay, schedules);
    this.grantSetAside(relay);
    new EventSourceMapping(this, 'MessagesStream', {
      ...storage.grantStream(relay, 'messages'),
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

  private createRecordReceipt({ stage, storage }: MessagingProps): void {
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

  private createExpire({ stage, storage, schedules }: MessagingProps): void {
    const expire = new GatewayFunction(this, 'ExpireMessages', {
      stage,
      functionName: 'expire-messages',
      timeoutSeconds: 50,
      settings: ['RETENTION_DAYS'],
    });
    // Queues a message again whose queue message was lost, until it expires.
    this.outbound.grantSend(expire);
    storage.grant(expire, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
    storage.grant(expire, 'messages', 'GetItem', 'BatchGetItem', 'UpdateItem');
    // Finds messages that the relay did not pass on, by listing the messages of all clients.
    storage.grantIndex(expire, 'messages', 'by-client');
    storage.grant(expire, 'clients', 'Scan');
    this.grantSetAside(expire);
    schedules.everyMinute(expire);
  }
}
