/** Prints every response of describe-api as JSON by path, for the bundler. */
import { published } from './published.ts';

process.stdout.write(JSON.stringify(published()));
