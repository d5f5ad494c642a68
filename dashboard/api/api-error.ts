/** Errors of the admin API and of the connection, as sentences beside a field or for the whole form. */
import type { FieldError } from '../../shared/contract/errors.ts';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 if there was no response. */
  readonly status: number;
  readonly details: readonly FieldError[];

  constructor(status: number, message: string, details: readonly FieldError[] = []) {
    // The message of a 400 error repeats its first detail.
    const general = message.startsWith(`${details[0]?.field}: `) ? [] : [message];
    super([...general, ...details.map(sentenceOf)].join(' '));
    this.status = status;
    this.details = details;
  }
}

/** Returns true if the same request would be refused again. */
export function isFinal(error: Error | null): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

/** The number of retries after a failure that may be temporary. */
export const retriesMax = 2;

/** Returns a field error as a sentence: `client_id` and `must be …` become `Client id must be ….` */
function sentenceOf({ field, message }: FieldError): string {
  const label = field.replaceAll('_', ' ').replace(/\burl\b/, 'URL');
  return asSentence(/^[a-z]/.test(message) ? `${label} ${message}` : message);
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** Returns the error of a field, or of an item in its list (`countries[1]`). */
export function fieldError(error: Error | null, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.details.find((detail) => detail.field.replace(/\[\d+\]$/, '') === field);
  if (found === undefined) return undefined;
  const [, index] = /\[(\d+)\]$/.exec(found.field) ?? [];
  return asSentence(index === undefined ? found.message : `Number ${Number(index) + 1} ${found.message}`);
}

/** Returns the error of the whole form; undefined if one of its fields shows an error. */
export function formError(error: Error | null, fields: readonly string[]): string | undefined {
  return error === null || fields.some((field) => fieldError(error, field) !== undefined)
    ? undefined
    : error.message;
}
