/** The CloudWatch dashboard of the stack. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { messageCostMetric, type StageMetric, type TimeMetric } from '../../shared/contract/metrics.ts';
import { alarmsIn, countedMetric } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

const period = Duration.minutes(1);
const half = 12;

const failures: readonly StageMetric[] = [
  'WebhookFailed',
  'InvalidLimitOverride',
  'InvalidSender',
  'UnreadableStreamRecord',
  'RefusedEntry',
  'UnknownReceipt',
  'SpendCapNearlyReached',
  'SpendCapReached',
];

export class CloudWatchDashboard extends Construct {
  private readonly stage: StageSettings;

  /** The dashboard shows the alarms, functions and queues that exist, so it must be created after them. */
  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    const all = scope.node.findAll();
    const alarms = alarmsIn(scope);
    const functions = all.filter((construct) => construct instanceof GatewayFunction);
    const queues = all.filter((construct) => construct instanceof Queue);
    const counted = (metric: StageMetric | TimeMetric) => countedMetric(stage, metric, period);
    const name = (construct: Construct): string =>
      construct.node.path.slice(scope.node.path.length + 1).replaceAll('/', ' ');
    new Dashboard(this, 'Dashboard', {
      // The names of dashboards are global to an account, so the same stage in another region needs another one: "there is
      // no region in the ARN" (Service Authorization Reference, Amazon CloudWatch, resource type dashboard).
      dashboardName: `${stage.stackName}-${Stack.of(this).region}`,
      widgets: [
        ...(alarms.length === 0
          ? []
          : [[new AlarmStatusWidget({ title: 'Alarms', alarms, width: 2 * half, height: 6 })]]),
        ...(stage.syntheticSend
          ? [
              [
                this.graph('Synthetic sends that failed', [counted('SyntheticSendFailed')]),
                this.graph(
                  'Synthetic sends: milliseconds until handed over and delivered',
                  (['SyntheticHandOverTime', 'SyntheticDeliveryTime'] as const).map((metric) =>
                    counted(metric).with({ statistic: 'Maximum' }),
                  ),
                ),
              ],
            ]
          : []),
        this.apiWidgets(),
        [
          this.graph(
            'Messages',
            [counted('CarrierRefusal'), counted('CarrierThrottle')],
            [countedMetric(stage, messageCostMetric, Duration.hours(1))],
          ),
          this.graph('Failed webhooks, invalid rows, spend caps', failures.map(counted)),
        ],
        [
          this.graph('Functions: errors and throttles', [
            ...functions.map((each) => each.metricErrors({ period, label: `${each.functionFile} errors` })),
            ...functions.map((each) =>
              each.metricThrottles({ period, label: `${each.functionFile} throttles` }),
            ),
          ]),
          this.graph(
            'Functions: duration, p99',
            functions.map((each) =>
              each.metricDuration({ period, statistic: 'p99', label: each.functionFile }),
            ),
          ),
        ],
        [
          this.graph(
            'Queues: visible messages',
            queues.map((each) =>
              each.metricApproximateNumberOfMessagesVisible({ period, label: name(each) }),
            ),
          ),
          this.graph(
            'Queues: age of the oldest message',
            queues.map((each) => each.metricApproximateAgeOfOldestMessage({ period, label: name(each) })),
          ),
        ],
      ],
    });
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
