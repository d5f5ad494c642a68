/** An alarm that says what happened and which section of the runbook tells what to do. */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stages/stage-settings.ts';

/** The anchors of the runbooks in docs/operate.md, without `runbook-`. */
export const runbooks = [
  'api-errors',
  'api-latency',
  'function-errors',
  'function-throttles',
  'dead-letters',
  'old-messages',
  'relay-behind',
  'unreadable-records',
  'refused-entries',
  'schedule-drops',
  'table-throttles',
  'limit-overrides',
  'carrier-refusals',
  'carrier-throttles',
  'spend',
  'failed-webhooks',
] as const;

type Runbook = (typeof runbooks)[number];

interface AlarmProps {
  readonly stage: StageSettings;
  readonly metric: IMetric;
  /** What it means that the alarm is on, in one sentence. */
  readonly says: string;
  readonly runbook: Runbook;
  /** On from this value upwards; 1 by itself, for what should never happen at all. */
  readonly threshold?: number;
  /** How many periods are looked at: a single one by itself. */
  readonly periods?: number;
  /** How many of them are enough; all of them by itself. */
  readonly breachingPeriods?: number;
}

export function watch(scope: Construct, id: string, props: AlarmProps): Alarm {
  const { stage, metric, says, runbook, threshold = 1, periods = 1, breachingPeriods } = props;
  return new Alarm(scope, id, {
    alarmDescription: `${says} ${stage.docsUrl}#runbook-${runbook}`,
    metric,
    threshold,
    evaluationPeriods: periods,
    ...(breachingPeriods === undefined ? {} : { datapointsToAlarm: breachingPeriods }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // Nothing counted is nothing wrong.
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** What the functions of this stage count themselves (`shared/platform/metrics.ts`). */
export function countedMetric(
  stage: StageSettings,
  metricName: string,
  period = Duration.minutes(5),
): Metric {
  return new Metric({
    namespace: 'MessagingGateway',
    metricName,
    dimensionsMap: { service: stage.stackName },
    statistic: 'Sum',
    period,
  });
}
