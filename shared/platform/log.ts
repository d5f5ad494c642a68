/** One wide line for each unit of work, with the ids that tie it to the others; numbers, bodies and secrets never. */
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { sampledTraceId } from './env.ts';

/** Each byte of a line is paid for with every message, so it says nothing that is the same in all of them. */
class WideLine extends LogFormatter {
  override formatAttributes(attributes: UnformattedAttributes, fields: LogAttributes): LogItem {
    return new LogItem({
      attributes: {
        level: attributes.logLevel,
        message: attributes.message,
        timestamp: attributes.timestamp.toISOString(),
        service: attributes.serviceName,
        // Where the stage traces: what ties the line to its trace.
        xray_trace_id: sampledTraceId(),
      },
    }).addAttributes(fields);
  }
}

/** Of the service that `POWERTOOLS_SERVICE_NAME` names: the stage's stack. */
export const log = new Logger({ logFormatter: new WideLine() });

/** What went wrong beside the work, and did not stop it. */
export function logWarning(message: string, error: unknown): void {
  log.warn(message, { error });
}
