/** The reports of carriers: receipts and inbound messages. Each unreadable report is an error, and none is skipped. */
import type * as z from 'zod/mini';
import type { Receipt } from '../message/dispatch/receipt-decisions.ts';
import type { InboundMessage } from '../message/whatsapp-content.ts';

/** The content of one message in the receipts queue: a verified callback, or a notification of the topic. */
export interface Reported {
  readonly body: string;
  /** The part after `/carriers/NAME/` in the URL of a callback. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** When a callback was received. A notification of the topic contains this time in its body. */
  readonly receivedAt: Date;
}

/** The parsed report. An opt-out is an inbound message, or a receipt with the error `recipient_opted_out`. */
export interface CarrierNotification {
  readonly receipts: readonly Receipt[];
  readonly inbound: readonly InboundMessage[];
  /** The unreadable parts of a report whose other parts can be read. */
  readonly unreadable: readonly UnreadableNotification[];
}

/** The report matches none of the documented formats, so its queue message goes to the dead-letter queue. */
export class UnreadableNotification extends Error {
  override readonly name = 'UnreadableNotification';
}

/**
 * Parses JSON. Half characters, as in the parts of a long SMS, are replaced, because DynamoDB does not store them.
 *
 * @throws UnreadableNotification
 */
export function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
  } catch (cause) {
    throw new UnreadableNotification(`${what} is not JSON`, { cause });
  }
}

export function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}

/** @throws UnreadableNotification, which names the faulty fields but not their values. */
export function read<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableNotification(`${what} does not have the documented form: ${faultsOf(parsed.error)}`);
}

export function unreadable(what: string, cause: unknown): UnreadableNotification {
  const why = isZodError(cause) ? faultsOf(cause) : cause instanceof Error ? cause.message : String(cause);
  return new UnreadableNotification(`${what} does not have a documented form: ${why}`, { cause });
}

/** Recognizes an error of zod by its form. Importing the class would add zod's translations to the bundle. */
function isZodError(error: unknown): error is z.core.$ZodError {
  return typeof error === 'object' && error !== null && 'issues' in error && Array.isArray(error.issues);
}

function faultsOf({ issues }: z.core.$ZodError): string {
  return issues.map((issue) => issue.path.join('.') || 'the whole').join(', ');
}
