/** The value of an option that is true or false; without a value it is true. */
import { InvalidArgumentError } from 'commander';

export function booleanOption(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}
