/** Values of options. */
import { InvalidArgumentError } from 'commander';

/** Without a value it is true. */
export function booleanOption(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}
