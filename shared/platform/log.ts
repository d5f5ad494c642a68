/**
 * Writes the log: one line for each request or background task, with ids that connect it to other lines, but no phone
 * numbers, bodies or secrets. Lines of the level INFO are always written, because alarms and `logs refusals` read them.
 * Metrics are log lines in CloudWatch's embedded metric format, so they need no call.
 */

import type { StageMetric } from '../contract/metrics.ts';
import { metricNamespace, sampledTraceId, serviceName } from './env.ts';

const service = serviceName();

export const log = { info: lineOf('INFO'), warn: lineOf('WARN'), error: lineOf('ERROR') };

function lineOf(level: string): (message: string, fields?: Readonly<Record<string, unknown>>) => void {
  return (message, fields) => {
    const timestamp = new Date().toISOString();
    const line = { level, message, timestamp, service, xray_trace_id: sampledTraceId() };
    process.stdout.write(`${textOf({ ...line, ...fields }) ?? JSON.stringify(line)}\n`);
  };
}

/**
 * Returns undefined if a value cannot be written as JSON, such as an object that contains itself, because logging must not
 * fail the work.
 */
function textOf(line: object): string | undefined {
  try {
    return JSON.stringify(line, loggedValue);
  } catch {
    return undefined;
  }
}

function loggedValue(_key: string, value: unknown): unknown {
  return value instanceof Error ? errorFields(value) : value;
}

/**
 * Leaves out the error's other fields, because errors of DynamoDB contain rows (`Item`, `CancellationReasons`) with phone
 * numbers and texts.
 */
function errorFields(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const { code, $metadata } = error as { code?: unknown; $metadata?: unknown };
  // AWS services and parsers quote the values that they refuse.
  const text = message.replace(/\d{7,}/g, '…');
  return {
    name,
    message: text,
    stack: stack?.replace(message, () => text),
    cause: cause instanceof Error ? cause : undefined,
    code,
    $metadata,
  };
}

export function logWarning(message: string, error: unknown): void {
  log.warn(message, { error });
}

/** Counts a metric for the whole stage. Details are in the log line. */
export function countMetric(name: StageMetric, value = 1): void {
  const dimensions = { service: serviceName() };
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: metricNamespace,
          Dimensions: [Object.keys(dimensions)],
          Metrics: [{ Name: name, Unit: 'Count' }],
        },
      ],
    },
    ...dimensions,
    [name]: value,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
