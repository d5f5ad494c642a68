/** Writes metrics to the log in CloudWatch's embedded metric format, so that no call is needed. */
import {
  functionFailureMetric,
  metricNamespace,
  type StageMetric,
  type TimeMetric,
} from '../contract/metrics.ts';
import { lambdaFunctionName, serviceName } from './env.ts';

/** Counts for the whole stage, as its alarm does; details are in the log line. */
export function countMetric(name: StageMetric, value = 1): void {
  count({ service: serviceName() }, name, value);
}

/**
 * Counts a 5xx response or a failed queue message, for each function: Lambda's metric `Errors` does not count them,
 * because the function itself succeeds. A deploy is rolled back by its alarm.
 */
export function countFunctionFailure(): void {
  count({ function_name: lambdaFunctionName() }, functionFailureMetric, 1);
}

/** Records a time of the whole stage. */
export function recordTime(name: TimeMetric, milliseconds: number): void {
  count({ service: serviceName() }, name, milliseconds, 'Milliseconds');
}

function count(
  dimensions: Readonly<Record<string, string>>,
  name: string,
  value: number,
  unit: 'Count' | 'Milliseconds' = 'Count',
): void {
  const metrics = [{ Name: name, Unit: unit }];
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        { Namespace: metricNamespace, Dimensions: [Object.keys(dimensions)], Metrics: metrics },
      ],
    },
    ...dimensions,
    [name]: value,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
