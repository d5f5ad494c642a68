/** An alarm whose description says what happened and links to the runbook. */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type messageCostMetric, metricNamespace, type StageMetric } from '../../shared/contract/metrics.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/** The anchors of the runbooks in docs/operate.md, without `runbook-`. */
export type Runbook =
  | 'api-errors'
  | 'api-latency'
  | 'function-errors'
  | 'function-throttles'
  | 'dead-letters'
  | 'relay-dead-letters'
  | 'old-messages'
  | 'relay-behind'
  | 'unreadable-records'
  | 'refused-entries'
  | 'unreadable-notifications'
  | 'schedule-drops'
  | 'table-throttles'
  | 'limit-overrides'
  | 'senders'
  | 'carrier-refusals'
  | 'carrier-throttles'
  | 'spend'
  | 'spend-caps'
  | 'otp-held'
  | 'failed-webhooks';

interface AlarmProps {
  readonly stage: StageSettings;
  readonly metric: IMetric;
  /** What happened when the alarm goes off, in one sentence. */
  readonly meaning: string;
  readonly runbook: Runbook;
  /** The alarm goes off at this value or above; 1 by default, for what should never happen. */
  readonly threshold?: number;
  /** The number of evaluated periods; 1 by default. */
  readonly periods?: number;
  /** The number of evaluated periods that must reach the threshold; all by default. */
  readonly breachingPeriods?: number;
}

/** Creates the alarm, unless the stage has none. */
export function createAlarm(scope: Construct, id: string, props: AlarmProps): Alarm | undefined {
  const { stage, metric, meaning, runbook, threshold = 1, periods = 1, breachingPeriods } = props;
  if (!stage.alarms) return undefined;
  return new Alarm(scope, id, {
    alarmDescription: `${meaning} ${stage.docsUrl}#runbook-${runbook}`,
    metric,
    threshold,
    evaluationPeriods: periods,
    ...(breachingPeriods === undefined ? {} : { datapointsToAlarm: breachingPeriods }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // No data means no traffic, which is not a fault.
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** Returns a metric that the functions of this stage emit (`shared/platform/metrics.ts`). */
export function countedMetric(
  stage: StageSettings,
  metricName: StageMetric | typeof messageCostMetric,
  period = Duration.minutes(5),
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: stage.stackName },
    statistic: 'Sum',
    period,
  });
}
