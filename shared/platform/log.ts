/** The log: one line for each unit of work, with the ids that connect it to others; never phone numbers, bodies or secrets. */
import { logLevel, sampledTraceId, serviceName } from './env.ts';

/** The least severe first. */
const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'];
const leastLogged = levels.indexOf(logLevel());
const service = serviceName();

type WriteLine = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

export const log = { info: lineOf('INFO'), warn: lineOf('WARN'), error: lineOf('ERROR') };

function lineOf(level: string): WriteLine {
  if (levels.indexOf(level) < leastLogged) return () => undefined;
  return (message, fields) => {
    const timestamp = new Date().toISOString();
    const line = { level, message, timestamp, service, xray_trace_id: sampledTraceId() };
    process.stdout.write(`${textOf({ ...line, ...fields }) ?? JSON.stringify(line)}\n`);
  };
}

/** Undefined where a field has no text, as one that contains itself: logging stops no work. */
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

/** Without the error's other fields: those of DynamoDB have rows (`Item`, `CancellationReasons`), with numbers and texts. */
function errorFields(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const { code, $metadata } = error as { code?: unknown; $metadata?: unknown };
  // Services and parsers quote what they refuse.
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

/** Logs an error that did not stop the work. */
export function logWarning(message: string, error: unknown): void {
  log.warn(message, { error });
}
