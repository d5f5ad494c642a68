/** Values of options, and the fields of a request that they become. */
import { InvalidArgumentError } from 'commander';

/** Without a value it is true. */
export function booleanOption(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

/** The field, unless its option was not given. */
export function optionalField(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}
