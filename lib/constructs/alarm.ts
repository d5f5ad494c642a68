/** Creates alarms with an explanation and a link to their runbook, and metrics that the gateway itself counts. */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps as CdkAlarmProps,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LoggedMetric, StageMetric } from '../../shared/contract/metrics.ts';
import { metricNamespace } from '../../shared/platform/env.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { GatewayFunction } from './gateway-function.ts';

/** `page`: messages are not accepted or sent, or money is lost. `mail`: an operator can react on the next working day. */
export type Urgency = 'page' | 'mail';

/** The alarms. Each alarm's runbook is in docs/operate.md, with the anchor `runbook-` and the alarm's name. */
export const runbooks = {
  'sends-fail': 'page',
  'messages-wait': 'page',
  'passwords-late': 'page',
  'passwords-held': 'page',
  'carrier-refusals': 'page',
  'receipts-stopped': 'page',
  'streams-behind': 'page',
  'clock-stopped': 'page',
  spend: 'page',
  'requests-fail': 'mail',
  'sends-slow': 'mail',
  'work-fails': 'mail',
  'webhooks-late': 'mail',
  'webhooks-fail': 'mail',
  'dead-letters': 'mail',
  'spend-caps': 'mail',
  'invalid-rows': 'mail',
} as const satisfies Record<string, Urgency>;

export class GatewayAlarm extends Alarm {
  readonly runbook: keyof typeof runbooks;

  constructor(scope: Construct, runbook: keyof typeof runbooks, props: CdkAlarmProps) {
    super(scope, runbook, props);
    this.runbook = runbook;
  }
}

export function createAlarm(
  scope: Construct,
  runbook: keyof typeof runbooks,
  { stackName, docsUrl }: StageSettings,
  props: {
    readonly metric: IMetric;
    /** A sentence on what has happened when the alarm goes off. */
    readonly meaning: string;
    /** The alarm goes off at this value or above; by default 1. */
    readonly threshold?: number;
    /** The number of evaluated periods; by default 1. */
    readonly periods?: number;
    /** How many of the evaluated periods must reach the threshold; by default all. */
    readonly breachingPeriods?: number;
    /** True if a period without data counts as reaching the threshold, for metrics that must always have data. */
    readonly alsoWithoutData?: boolean;
  },
): GatewayAlarm {
  const { metric, meaning, threshold = 1, periods = 1, breachingPeriods, alsoWithoutData = false } = props;
  return new GatewayAlarm(scope, runbook, {
    alarmName: `${stackName}-${runbook}`,
    alarmDescription: `${meaning} ${docsUrl}#runbook-${runbook}`,
    metric,
    threshold,
    evaluationPeriods: periods,
    datapointsToAlarm: breachingPeriods,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // Usually, a period without data had no traffic and no fault.
    treatMissingData: alsoWithoutData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
}

/** Returns a metric that this stage's functions count (`shared/platform/log.ts`), or that is read from their logs. */
export function countedMetric(
  stage: StageSettings,
  metricName: StageMetric | LoggedMetric,
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

/** Creates a metric from log lines that a function writes anyway, because counting it would need another line. */
export function readFromLog(
  from: GatewayFunction,
  metricName: LoggedMetric,
  filterPattern: IFilterPattern,
  metricValue = '1',
): void {
  new MetricFilter(from, metricName, {
    logGroup: from.logGroup,
    metricNamespace,
    metricName,
    filterPattern,
    metricValue,
    dimensions: { service: '$.service' },
  });
}
