/**
 * The parts of the system. `shared/contract/function-uses.ts` declares which parts each function uses.
 *
 * The API stores a request as a message. The stream of the messages table starts all later work. The project's own stack
 * (`gateway-stack.ts`) and, through the package `messaging-gateway`, the apps of platform teams use this construct.
 */
import { CfnOutput, Stack, Token } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IAlarmAction, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { LoggedMetric, StageMetric } from '../shared/contract/metrics.ts';
import type { QueueName } from '../shared/contract/queues.ts';
import { sendFunctions } from '../shared/contract/routes.ts';
import type { TableName } from '../shared/contract/tables.ts';
import { AlarmNotifications } from './capabilities/alarm-notifications.ts';
import { Alarms } from './capabilities/alarms.ts';
import { Canary } from './capabilities/api/canary.ts';
import { Api } from './capabilities/api/rest-api.ts';
import { grantAdministration, grantUses, type Queues, type Resources } from './capabilities/grant-uses.ts';
import { Messaging } from './capabilities/messaging/messaging.ts';
import { ReviewEditedRows } from './capabilities/review-edited-rows-function.ts';
import { Schedules } from './capabilities/schedules.ts';
import { CarrierSecrets, OtpSecret } from './capabilities/secrets.ts';
import { Storage } from './capabilities/storage/storage.ts';
import { TokenKey } from './capabilities/token-key.ts';
import { Webhooks } from './capabilities/webhooks/webhook-delivery.ts';
import { countedMetric, type GatewayAlarm } from './constructs/alarm.ts';
import { GatewayFunction } from './constructs/gateway-function.ts';
import { pascalCase, publishedSettings } from './constructs/stack-outputs.ts';
import type { MessagingGatewayProps } from './stages/gateway-props.ts';
import type { StageSettings } from './stages/stage-settings.ts';
import { stageFrom } from './stages/stages.ts';

export type { MessagingGatewayProps };

/**
 * A messaging gateway. A stack can contain only one gateway, and the names of its resources begin with the stack's name.
 */
export class MessagingGateway extends Construct {
  /** The HTTP API. */
  readonly api: SpecRestApi;
  /** The API's URL without a final slash, which is also the issuer of its tokens. */
  readonly url: string;
  /** The tables by name. */
  readonly tables: Readonly<Record<Exclude<TableName, 'simulator-outbox'>, ITable>>;
  /** The queues by name. Each queue that a function consumes has a dead-letter queue. */
  readonly queues: Readonly<Record<QueueName, Queue>>;
  /** The topic to which carriers publish receipts and inbound messages; undefined if all carriers are simulated. */
  readonly receiptsTopic: Topic | undefined;
  private readonly alarms: readonly GatewayAlarm[];
  private readonly resources: Resources;

  constructor(scope: Construct, id: string, props: MessagingGatewayProps = {}) {
    super(scope, id);
    const stage = this.settingsFrom(props);
    const storage = new Storage(this, 'Storage', stage);
    const schedules = new Schedules(this, 'Schedules', stage);
    const tokenKey = new TokenKey(this, 'TokenKey', stage);
    const otpSecret = new OtpSecret(this, 'OtpSecret', stage);
    const carrierSecrets = new CarrierSecrets(this, 'CarrierSecrets', stage);

    const api = new Api(this, 'Api', stage);
    const messaging = new Messaging(this, 'Messaging', { stage, storage, schedules });
    api.add(this, 'CarrierCallback', 'carrier-callback');
    const webhooks = new Webhooks(this, 'Webhooks', { stage, storage, schedules });
    new ReviewEditedRows(this, 'RowFeedback', {
      stage,
      storage,
      schedules,
      deadLetters: messaging.deadLetters.queue,
    });
    const admin = new Construct(this, 'Admin');
    api.add(admin, 'AdminApi', 'admin-api');
    api.add(admin, 'AdminDashboard', 'admin-dashboard', { timeoutSeconds: 10 });

    const { otp, single, bulk } = messaging.outbound.queues;
    const queues: Queues = {
      'otp-outbound': otp,
      outbound: single,
      'bulk-outbound': bulk,
      receipts: messaging.receipts,
      webhooks: webhooks.first,
      'webhook-retries': webhooks.retries,
      'relay-dead-letter': messaging.deadLetters,
    };
    const { baseUrl } = api;
    const resources = { stage, storage, schedules, queues, otpSecret, carrierSecrets, tokenKey, baseUrl };
    grantUses(this, resources);

    const alarms =
      stage.alarms === false
        ? undefined
        : new Alarms(this, 'Alarms', { stage, ...stage.alarms, api: api.rest, queues });
    this.alarms = alarms?.all ?? [];
    new AlarmNotifications(this, 'AlarmNotifications', stage, this.alarms);
    if (stage.canary) new Canary(this, 'Canary', stage, alarms?.ofReleases ?? []);

    this.publish(storage.names());
    for (const [name, { queue, deadLetters }] of Object.entries(queues)) {
      // The relay's queue is itself a dead-letter queue.
      const output = name === 'relay-dead-letter' ? 'RelayDeadLetters' : `${pascalCase(name)}Queue`;
      this.publish({ [output]: queue.queueUrl });
      if (deadLetters !== undefined)
        this.publish({ [`${pascalCase(name)}DeadLetters`]: deadLetters.queueUrl });
    }
    this.publish(publishedSettings(stage));

    this.resources = resources;
    this.api = api.rest;
    this.url = baseUrl;
    this.tables = storage.byName();
    this.queues = Object.fromEntries(
      Object.entries(queues).map(([name, { queue }]) => [name, queue]),
    ) as Record<QueueName, Queue>;
    this.receiptsTopic = messaging.receiptsTopic;
  }

  /**
   * Grants the permissions of the administrators' command line, which finds the gateway by the stack's outputs. The
   * parameter is a role, because the inline policies of users and groups are too small.
   */
  grantAdmin(role: IRole): void {
    grantAdministration(role, Stack.of(this), this.resources);
  }

  /** Adds actions to each alarm. If the property `alarms` is false, there are none. */
  addAlarmAction(...actions: IAlarmAction[]): void {
    for (const alarm of this.alarms) alarm.addAlarmAction(...actions);
  }

  /**
   * Returns a metric that the functions count, with a period of five minutes. Counts, such as refusals of carriers, are
   * sums; times are the p99.
   */
  metric(name: StageMetric | LoggedMetric): Metric {
    const statistic = name.endsWith('Time') ? 'p99' : 'Sum';
    return countedMetric(this.resources.stage, name).with({ statistic }).attachTo(this);
  }

  /** Returns the number of calls to send operations, including refused ones. */
  metricSends(): MathExpression {
    const sending: readonly string[] = sendFunctions;
    const functions = this.node
      .findAll()
      .filter((construct) => construct instanceof GatewayFunction)
      .filter(({ functionFile }) => sending.includes(functionFile));
    // The ids are unique, so that a graph or an alarm can also contain other metrics, even of another gateway.
    const prefix = `messagingGatewaySends${this.node.addr.slice(-8)}`;
    const calls = Object.fromEntries(
      functions.map((each, index) => [`${prefix}_${index}`, each.metricInvocations()]),
    );
    return new MathExpression({
      expression: `SUM([${Object.keys(calls).join(', ')}])`,
      label: 'Sends',
      usingMetrics: calls,
    });
  }

  /** Returns the share of responses that are 5xx. */
  metricServerErrors(): Metric {
    return this.api.metricServerError({ statistic: 'Average' });
  }

  /** Returns the latency of responses, as the p99 in milliseconds. */
  metricLatency(): Metric {
    return this.api.metricLatency({ statistic: 'p99' });
  }

  /** Returns the estimated cost of messages, in the currency of `countries`. */
  metricCost(): Metric {
    return this.metric('MessageCost');
  }

  /** @throws Error that names every invalid property with its permitted values */
  private settingsFrom(props: MessagingGatewayProps): StageSettings {
    const stack = Stack.of(this);
    if (stack.nestedStackParent !== undefined)
      throw new Error(
        `${this.node.path}: a nested stack has no name of its own, with which the names of resources begin; use a top-level stack`,
      );
    if (stack.node.findAll().some((other) => other !== this && other instanceof MessagingGateway))
      throw new Error(`${this.node.path}: a stack has room for one messaging gateway; add a second stack`);
    return stageFrom({
      ...props,
      stackName: stack.stackName,
      ...(Token.isUnresolved(stack.region) ? {} : { region: stack.region }),
    });
  }

  /** Adds stack outputs, which the administrators' command line and the tests read. */
  private publish(values: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(values)) new CfnOutput(this, key, { key, value });
  }
}
