/** Counts what an alarm or a person should see, in the log, from where CloudWatch takes it: no call, no wait. */
import { Metrics } from '@aws-lambda-powertools/metrics';

const metrics = new Metrics({ namespace: 'MessagingGateway', serviceName: 'messaging-gateway' });

export function countMetric(name: string, value = 1): void {
  const single = metrics.singleMetric();
  single.addMetric(name, 'Count', value);
}
