/** The CloudWatch dashboard of the stack. */
import { Duration, Stack } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { AlarmStatusWidget, Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { LoggedMetric, StageMetric } from '../../shared/contract/metrics.ts';
import { countedMetric, type GatewayAlarm } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Queues } from './grant-uses.ts';

const period = Duration.minutes(1);
const half = 12;

const counts: readonly StageMetric[] = [
  'SendFailed',
  'WorkFailed',
  'CarrierRefusal',
  'CarrierThrottle',
  'OtpHeld',
  'SpendCapReached',
  'InvalidRow',
  'RowsDue',
];

export class CloudWatchDashboard extends Construct {
  /** Create this after all functions, because it looks them up. */
  constructor(
    scope: Construct,
    id: string,
    {
      stage,
      api,
      queues,
      alarms,
    }: {
      readonly stage: StageSettings;
      readonly api: SpecRestApi;
      readonly queues: Queues;
      readonly alarms: readonly GatewayAlarm[];
    },
  ) {
    super(scope, id);
    const functions = scope.node.findAll().filter((construct) => construct instanceof GatewayFunction);
    const graph = (title: string, left: IMetric[], right: IMetric[] = []): GraphWidget =>
      new GraphWidget({ title: `${title} (${stage.name})`, left, right, width: half });
    const counted = (name: StageMetric | LoggedMetric) => countedMetric(stage, name, period);
    const p95 = (name: LoggedMetric) => counted(name).with({ statistic: 'p95' });
    new Dashboard(this, 'Dashboard', {
      // The name contains the region, because names of dashboards are global to an account: "there is no region in the ARN"
      // (Service Authorization Reference, Amazon CloudWatch, resource type dashboard).
      dashboardName: `${stage.stackName}-${Stack.of(this).region}`,
      widgets: [
        ...(alarms.length === 0
          ? []
          : [[new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 2 * half, height: 6 })]]),
        [
          graph('API: requests', [
            api.metricCount({ period }),
            api.metricClientError({ period, statistic: 'Sum' }),
            api.metricServerError({ period, statistic: 'Sum' }),
          ]),
          graph('API: latency', [
            api.metricLatency({ period, statistic: 'p50' }),
            api.metricLatency({ period, statistic: 'p99' }),
          ]),
        ],
        [
          graph('What is counted, and cost', counts.map(counted), [
            countedMetric(stage, 'MessageCost', Duration.hours(1)),
          ]),
          graph(
            'Milliseconds to hand over a password, and to the first attempt of a webhook, p95',
            [p95('OtpHandOverTime'), p95('WebhookFirstAttemptTime')],
            [counted('WebhookFirstAttemptFailed'), counted('ReceiptRecorded')],
          ),
        ],
        [
          graph('Functions: errors and throttles', [
            ...functions.map((each) => each.metricErrors({ period, label: `${each.functionFile} errors` })),
            ...functions.map((each) =>
              each.metricThrottles({ period, label: `${each.functionFile} throttles` }),
            ),
          ]),
          graph(
            'Functions: duration, p99',
            functions.map((each) =>
              each.metricDuration({ period, statistic: 'p99', label: each.functionFile }),
            ),
          ),
        ],
        [
          graph(
            'Queues: visible messages',
            Object.entries(queues).flatMap(([label, { queue, deadLetters }]) => [
              queue.metricApproximateNumberOfMessagesVisible({ period, label }),
              ...(deadLetters === undefined
                ? []
                : [
                    deadLetters.metricApproximateNumberOfMessagesVisible({
                      period,
                      label: `${label}, dead letters`,
                    }),
                  ]),
            ]),
          ),
          graph(
            'Queues: age of the oldest message',
            Object.entries(queues).map(([label, { queue }]) =>
              queue.metricApproximateAgeOfOldestMessage({ period, label }),
            ),
          ),
        ],
      ],
    });
  }
}
