/** Counts what an alarm or a person should see, in the log, from where CloudWatch takes it: no call, no wait. */
import { Metrics } from '@aws-lambda-powertools/metrics';

const metrics = new Metrics({ namespace: 'MessagingGateway', serviceName: 'messaging-gateway' });

/** @param dimensions few values each: every combination is a metric of its own. */
export function countMetric(
  name: string,
  value = 1,
  dimensions: Readonly<Record<string, string>> = {},
): void {
  const single = metrics.singleMetric();
  for (const [dimension, of] of Object.entries(dimensions)) single.addDimension(dimension, of);
  single.addMetric(name, 'Count', value);
}
