/** Run by the bundler: prints every response of describe-api, as JSON by path. */
import { published } from './published.ts';

process.stdout.write(JSON.stringify(published()));
