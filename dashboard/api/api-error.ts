/** What the gateway refuses or a connection loses, in sentences for a person: of a field, or of the whole form. */
import type { FieldError } from '../../shared/contract/errors.ts';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 where there was no response. */
  readonly status: number;
  readonly details: readonly FieldError[];

  constructor(status: number, message: string, details: readonly FieldError[] = []) {
    // A 400 repeats its first detail in its message.
    const general = message.startsWith(`${details[0]?.field}: `) ? [] : [message];
    super([...general, ...details.map(sentenceOf)].join(' '));
    this.status = status;
    this.details = details;
  }
}

/** Whether the same request will be refused again. */
export function isFinal(error: Error | null): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

/** How often a request is repeated that was not refused but failed, and may work the next time. */
export const retriesMax = 2;

/** `must be …` of `client_id` becomes `Client id must be ….` */
function sentenceOf({ field, message }: FieldError): string {
  const label = field.replaceAll('_', ' ').replace(/\burl\b/, 'URL');
  return asSentence(/^[a-z]/.test(message) ? `${label} ${message}` : message);
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** The error of a field, or of an item of the field's list (`countries[1]`). */
export function fieldError(error: Error | null, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.details.find((detail) => detail.field.replace(/\[\d+\]$/, '') === field);
  if (found === undefined) return undefined;
  const [, index] = /\[(\d+)\]$/.exec(found.field) ?? [];
  return asSentence(index === undefined ? found.message : `Number ${Number(index) + 1} ${found.message}`);
}

/** The error of the whole form, where no field of it has one. */
export function formError(error: Error | null, fields: readonly string[]): string | undefined {
  return error === null || fields.some((field) => fieldError(error, field) !== undefined)
    ? undefined
    : error.message;
}
