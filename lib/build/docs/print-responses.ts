/** Prints every response of describe-api, as JSON by path. The bundler runs it. */
import { published } from './published.ts';

process.stdout.write(JSON.stringify(published()));
