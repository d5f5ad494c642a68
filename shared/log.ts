/** One wide line for each unit of work, with the ids that tie it to the others; numbers masked, bodies and secrets never. */
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

/** `+447700900123` → `+4477*****123`: enough to tell two apart, too little to call. */
export function maskNumber(number: string): string {
  const [shownBefore, shownAfter] = [5, 3];
  if (number.length <= shownBefore + shownAfter) return '*'.repeat(number.length);
  const hidden = '*'.repeat(number.length - shownBefore - shownAfter);
  return number.slice(0, shownBefore) + hidden + number.slice(-shownAfter);
}
