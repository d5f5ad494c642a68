/** The API's alarms: on errors and latency, malformed rows of limits and senders, and spend caps that are reached. */
import { Duration } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** The fraction of 5xx responses in a minute. */
const errorRate = 0.01;
const latencyMs = 3000;

/** @returns the alarms that also roll a canary back */
export function createApiAlarms(scope: Construct, api: SpecRestApi, stage: StageSettings): readonly Alarm[] {
  // The period is shorter than the five minutes of a canary, so that an alarm can roll it back in time.
  const period = Duration.minutes(1);
  createAlarm(scope, 'LimitOverrides', {
    stage,
    metric: countedMetric(stage, 'InvalidLimitOverride'),
    meaning: 'A row of limit-overrides has an invalid value; the default is used instead.',
    runbook: 'limit-overrides',
  });
  createAlarm(scope, 'Senders', {
    stage,
    metric: countedMetric(stage, 'InvalidSender'),
    meaning: 'A row of senders has an invalid value; the next row in order is used instead.',
    runbook: 'senders',
  });
  createAlarm(scope, 'SpendCaps', {
    stage,
    metric: countedMetric(stage, 'SpendCapReached'),
    meaning: 'A client has reached its spend cap: its sends are refused until the day or month ends.',
    runbook: 'spend-caps',
  });
  const alarms = [
    createAlarm(scope, 'ServerErrors', {
      stage,
      // Each response counts as 0 or 1, so the average is the fraction of 5xx responses.
      metric: api.metricServerError({ period, statistic: 'Average' }),
      threshold: errorRate,
      periods: 3,
      breachingPeriods: 2,
      meaning: `${errorRate * 100} % or more of the responses were 5xx in two of three minutes.`,
      runbook: 'api-errors',
    }),
    createAlarm(scope, 'Latency', {
      stage,
      metric: api.metricLatency({ period, statistic: 'p99' }),
      threshold: latencyMs,
      periods: 5,
      breachingPeriods: 3,
      meaning: `The p99 latency was ${latencyMs} ms or longer in three of five minutes.`,
      runbook: 'api-latency',
    }),
  ];
  return alarms.filter((alarm) => alarm !== undefined);
}
