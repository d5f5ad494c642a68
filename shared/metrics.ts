/** Counts what an alarm or a person should see, in the log, from where CloudWatch takes it: no call, no wait. */
import { serviceName } from './env.ts';

/**
 * One metric for the whole stage, as its alarm watches it: what tells two counts apart stands in the log line.
 * Written by hand in CloudWatch's embedded metric format: the library for it is 5 ms of each start.
 */
export function countMetric(name: string, value = 1): void {
  const metrics = [{ Name: name, Unit: 'Count' }];
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [{ Namespace: 'MessagingGateway', Dimensions: [['service']], Metrics: metrics }],
    },
    service: serviceName(),
    [name]: value,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
