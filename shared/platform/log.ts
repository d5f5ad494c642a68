/** The logger: one line for each unit of work, with the ids that connect it to others; never phone numbers, bodies or secrets. */
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { sampledTraceId } from './env.ts';

/** Leaves out fields that are the same in every line, because CloudWatch charges for each byte. */
class WideLine extends LogFormatter {
  override formatAttributes(attributes: UnformattedAttributes, fields: LogAttributes): LogItem {
    return new LogItem({
      attributes: {
        level: attributes.logLevel,
        message: attributes.message,
        timestamp: attributes.timestamp.toISOString(),
        service: attributes.serviceName,
        xray_trace_id: sampledTraceId(),
      },
    }).addAttributes(fields);
  }

  /** Without the error's other fields: those of DynamoDB have rows (`Item`, `CancellationReasons`), with numbers and texts. */
  override formatError(error: Error): LogAttributes {
    const { name, message, stack, cause } = error;
    const { code, $metadata } = error as { code?: unknown; $metadata?: unknown };
    // Services and parsers quote what they refuse.
    const text = message.replace(/\d{7,}/g, '…');
    return {
      name,
      location: this.getCodeLocation(stack),
      message: text,
      stack: stack?.replace(message, () => text),
      cause: cause instanceof Error ? this.formatError(cause) : undefined,
      code,
      $metadata,
    };
  }
}

export const log = new Logger({ logFormatter: new WideLine() });

/** Logs an error that did not stop the work. */
export function logWarning(message: string, error: unknown): void {
  log.warn(message, { error });
}
