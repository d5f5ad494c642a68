/**
 * An alarm on the burn rate of an objective: how many times faster than planned its budget of failures is used up. The windows
 * and rates are those of Google's Site Reliability Workbook, "Alerting on SLOs": the long window says that it matters, the short
 * one that it goes on. An alarm of CloudWatch has one period, so each window is an alarm, and a composite one notifies.
 */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stages/stage-settings.ts';
import { GatewayAlarm, type Runbook } from './alarm.ts';

/** The first rate uses up 2 % of a budget for 30 days in its long window, and the second one 5 %. */
const burnRates = [
  { rate: 14.4, long: Duration.hours(1), short: Duration.minutes(5) },
  { rate: 6, long: Duration.hours(6), short: Duration.minutes(30) },
];
/** The failures in the long window below which no alarm goes off: one slow message of two says little. */
const failuresMinimum = 10;

/** What CloudWatch measures of an objective. */
export interface ObjectiveMetric {
  readonly metric: Metric;
  /** The percentage of failures by metric math, of the metric's value `share`. */
  readonly failures: string;
}

interface BurnRateAlarmProps {
  /** The name of the alarm follows the name of the stack; its runbook is `slo-` and this name. */
  readonly name: 'availability' | 'otp-hand-over' | 'first-webhook';
  readonly measured: ObjectiveMetric;
  /** The share that must succeed. */
  readonly objective: number;
  /** What fails when the alarm goes off, in one sentence. */
  readonly meaning: string;
}

export class BurnRateAlarm extends CompositeAlarm {
  readonly runbook: Runbook;

  constructor(
    scope: Construct,
    id: string,
    { stackName, docsUrl }: StageSettings,
    props: BurnRateAlarmProps,
  ) {
    const { measured, objective, meaning } = props;
    const runbook = `slo-${props.name}` as const;
    const name = `${stackName}-${props.name}`;
    const link = `${docsUrl}#runbook-${runbook}`;
    const window = (rate: number, length: Duration, expression: string): Alarm =>
      new Alarm(scope, `${id}${length.toMinutes()}m`, {
        alarmDescription: `The budget of failures burns ${rate} times too fast, over ${length.toMinutes()} minutes; the alarm ${name} notifies. ${link}`,
        metric: new MathExpression({
          expression,
          period: length,
          usingMetrics: {
            share: measured.metric,
            ...(expression.includes('count')
              ? { count: measured.metric.with({ statistic: 'SampleCount' }) }
              : {}),
          },
        }),
        // Rounded, because binary fractions would show in the console.
        threshold: Number((100 * (1 - objective) * rate).toPrecision(6)),
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    const { failures } = measured;
    const enough = `IF(((${failures}) * count) >= ${100 * failuresMinimum}, ${failures}, 0)`;
    super(scope, id, {
      compositeAlarmName: name,
      alarmDescription: `${meaning} ${link}`,
      alarmRule: AlarmRule.anyOf(
        ...burnRates.map(({ rate, long, short }) =>
          AlarmRule.allOf(window(rate, long, enough), window(rate, short, failures)),
        ),
      ),
    });
    this.runbook = runbook;
  }
}

/** The alarms that exist in the gateway, but for the windows of burn rates. */
export function alarmsIn(gateway: Construct): (GatewayAlarm | BurnRateAlarm)[] {
  return gateway.node
    .findAll()
    .filter((construct) => construct instanceof GatewayAlarm || construct instanceof BurnRateAlarm);
}
