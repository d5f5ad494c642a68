/** An alarm whose description says what happened and links to the runbook. */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps as CdkAlarmProps,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import {
  type LoggedMetric,
  metricNamespace,
  type StageMetric,
  type TimeMetric,
} from '../../shared/contract/metrics.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/** `page`: messages are not accepted or sent, or money is lost. `mail`: somebody must look on a working day. */
export type Urgency = 'page' | 'mail';

/** The runbooks of alarms, by their anchors in docs/operate.md without `runbook-`. */
export const runbooks = {
  'api-errors': 'page',
  'api-latency': 'mail',
  'synthetic-send': 'page',
  'function-errors': 'page',
  'function-throttles': 'mail',
  'dead-letters': 'mail',
  'relay-dead-letters': 'mail',
  'old-messages': 'page',
  'relay-behind': 'page',
  'usage-behind': 'mail',
  'unreadable-records': 'mail',
  'refused-entries': 'mail',
  'unreadable-notifications': 'mail',
  'schedule-drops': 'mail',
  'table-throttles': 'mail',
  'limit-overrides': 'mail',
  senders: 'mail',
  'carrier-refusals': 'page',
  'carrier-throttles': 'mail',
  spend: 'page',
  'spend-caps': 'mail',
  'otp-held': 'page',
  'failed-webhooks': 'mail',
} as const satisfies Record<string, Urgency>;

export type Runbook = keyof typeof runbooks;

/** An alarm that has a runbook. */
export class GatewayAlarm extends Alarm {
  readonly runbook: Runbook;

  constructor(scope: Construct, id: string, runbook: Runbook, props: CdkAlarmProps) {
    super(scope, id, props);
    this.runbook = runbook;
  }
}

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
  /** Whether a period without data counts as one that reaches the threshold: for what must always have some. */
  readonly alsoWithoutData?: boolean;
}

/** Creates the alarm, unless the stage has none. */
export function createAlarm(scope: Construct, id: string, props: AlarmProps): Alarm | undefined {
  const { stage, metric, meaning, runbook, threshold = 1, periods = 1, breachingPeriods } = props;
  const { alsoWithoutData = false } = props;
  if (!stage.alarms) return undefined;
  return new GatewayAlarm(scope, id, runbook, {
    alarmDescription: `${meaning} ${stage.docsUrl}#runbook-${runbook}`,
    metric,
    threshold,
    evaluationPeriods: periods,
    ...(breachingPeriods === undefined ? {} : { datapointsToAlarm: breachingPeriods }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // No data means no traffic, which is most often not a fault.
    treatMissingData: alsoWithoutData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
}

/** Returns a metric that the functions of this stage emit (`shared/platform/log.ts`). */
export function countedMetric(
  stage: StageSettings,
  metricName: StageMetric | LoggedMetric | TimeMetric,
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

/** Returns the alarms that exist in the gateway. */
export function alarmsIn(gateway: Construct): GatewayAlarm[] {
  return gateway.node.findAll().filter((construct) => construct instanceof GatewayAlarm);
}
