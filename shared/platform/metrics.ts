/** Counts what an alarm or a person should see, in the log, from where CloudWatch takes it: no call, no wait. */
import { lambdaFunctionName, serviceName } from './env.ts';

/**
 * One metric for the whole stage, as its alarm watches it: what tells two counts apart stands in the log line.
 * Written by hand in CloudWatch's embedded metric format: the library for it is 5 ms of each start.
 */
export function countMetric(name: string, value = 1): void {
  count({ service: serviceName() }, name, value);
}

/**
 * An answer of 5xx, or a queue message that failed. Lambda's own `Errors` has neither, because the function itself
 * succeeded: this is what tells a bad deploy of one function apart.
 */
export function countFunctionFailure(): void {
  count({ function_name: lambdaFunctionName() }, 'FunctionFailure', 1);
}

function count(dimensions: Readonly<Record<string, string>>, name: string, value: number): void {
  const metrics = [{ Name: name, Unit: 'Count' }];
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        { Namespace: 'MessagingGateway', Dimensions: [Object.keys(dimensions)], Metrics: metrics },
      ],
    },
    ...dimensions,
    [name]: value,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
