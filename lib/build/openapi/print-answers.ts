/** Run by the bundler: prints every response of describe-api, as JSON by route name. */
import { published } from './published.ts';

process.stdout.write(JSON.stringify(published()));
