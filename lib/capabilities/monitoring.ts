/** What a person looks at, and who is told: one dashboard, and one topic that every alarm of the stack goes to. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { countedMetric, watch } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

const period = Duration.minutes(1);
const half = 12;

export class Monitoring extends Construct {
  private readonly stage: StageSettings;

  /** Made last: it finds what there is to watch. */
  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    this.watchThrottles();
    const all = scope.node.findAll();
    const alarms = all.filter((construct) => construct instanceof Alarm);
    if (stage.alarmEmail !== undefined) this.tell(alarms, stage.alarmEmail);
    const functions = all.filter((construct) => construct instanceof GatewayFunction);
    const queues = all.filter((construct) => construct instanceof Queue);
    const ofFunctions = (metric: (each: GatewayFunction) => IMetric) => functions.map(metric);
    const ofQueues = (metric: (each: Queue) => IMetric) => queues.map(metric);
    const name = (construct: Construct): string => construct.node.path.split('/').slice(1).join(' ');
    new Dashboard(this, 'Dashboard', {
      dashboardName: stage.stackName,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms, width: 2 * half, height: 6 })],
        this.apiWidgets(),
        [
          this.graph(
            'Messages',
            [countedMetric(stage, 'CarrierRefusal', period), countedMetric(stage, 'CarrierThrottle', period)],
            [countedMetric(stage, 'MessageCost', Duration.hours(1))],
          ),
          this.graph('Webhooks that failed, faults of rows', [
            ...[
              'WebhookFailed',
              'InvalidLimitOverride',
              'UnreadableStreamRecord',
              'RefusedEntry',
              'UnknownReceipt',
            ].map((metric) => countedMetric(stage, metric, period)),
          ]),
        ],
        [
          this.graph('Functions: errors and throttles', [
            ...ofFunctions((each) => each.metricErrors({ period, label: `${each.functionFile} errors` })),
            ...ofFunctions((each) =>
              each.metricThrottles({ period, label: `${each.functionFile} throttles` }),
            ),
          ]),
          this.graph(
            'Functions: duration, p99',
            ofFunctions((each) =>
              each.metricDuration({ period, statistic: 'p99', label: each.functionFile }),
            ),
          ),
        ],
        [
          this.graph(
            'Queues: messages that wait',
            ofQueues((each) => each.metricApproximateNumberOfMessagesVisible({ period, label: name(each) })),
          ),
          this.graph(
            'Queues: age of the oldest message',
            ofQueues((each) => each.metricApproximateAgeOfOldestMessage({ period, label: name(each) })),
          ),
        ],
      ],
    });
  }

  /** Of the account: what throttles a function is most often the concurrency that all functions of an account share. */
  private watchThrottles(): void {
    watch(this, 'Throttles', {
      stage: this.stage,
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Throttles',
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
      says: 'A function of this account and region is called more often at once than it may run.',
      runbook: 'function-throttles',
    });
  }

  private tell(alarms: readonly Alarm[], address: string): void {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    // The topic has a policy, for TLS, and so no longer the one by which an account's own alarms may publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy': 'A letter that cannot be delivered is no better off in a queue.',
    });
    for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  }

  private apiWidgets(): IWidget[] {
    const metric = (metricName: string, statistic: string): Metric =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiName: Stack.of(this).stackName },
        statistic,
        period,
        label: `${metricName} ${statistic}`,
      });
    return [
      this.graph('API: requests', [
        metric('Count', 'Sum'),
        metric('4XXError', 'Sum'),
        metric('5XXError', 'Sum'),
      ]),
      this.graph('API: latency', [metric('Latency', 'p50'), metric('Latency', 'p99')]),
    ];
  }

  private graph(title: string, left: IMetric[], right: IMetric[] = []): GraphWidget {
    return new GraphWidget({ title: `${title} (${this.stage.name})`, left, right, width: half });
  }
}
