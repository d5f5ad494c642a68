/** One JSON line for each unit of work, with the ids that tie it to others: never a body, a secret or a whole number. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

export interface Log {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export const log: Log = new Logger({ serviceName: 'messaging-gateway' });

const metrics = new Metrics({ namespace: 'MessagingGateway', serviceName: 'messaging-gateway' });

/** Counts one, at once: a metric that waits for the end of the invocation dies with it. */
export function count(metric: string): void {
  metrics.singleMetric().addMetric(metric, MetricUnit.Count, 1);
}

/** `+447700900123` as `+4477*****123`. */
export function maskNumber(number: string): string {
  return number.length <= 8
    ? '*'.repeat(number.length)
    : `${number.slice(0, 5)}${'*'.repeat(number.length - 8)}${number.slice(-3)}`;
}
