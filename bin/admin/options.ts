/** The values of options. */
import { InvalidArgumentError } from 'commander';

/** An option without a value is true. */
export function booleanOption(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}
