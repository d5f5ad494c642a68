/** What the bundler runs: prints every answer of the function, as JSON by the name of its route. */
import { published } from './published.ts';

process.stdout.write(JSON.stringify(published()));
