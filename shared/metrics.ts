/** Counts what an alarm or a person should see, in the log, from where CloudWatch takes it: no call, no wait. */
import { Metrics } from '@aws-lambda-powertools/metrics';

const metrics = new Metrics({ namespace: 'MessagingGateway' });

/** One metric for the whole stage, as its alarm watches it: what tells two counts apart stands in the log line. */
export function countMetric(name: string, value = 1): void {
  const single = metrics.singleMetric();
  single.addMetric(name, 'Count', value);
}
