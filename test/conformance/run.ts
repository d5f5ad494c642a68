/** npm run conformance -- --url URL …: the suite against any gateway, by HTTP alone. */
import { Command } from 'commander';
import { Api } from './api.ts';
import { checks } from './checks.ts';

const options = new Command()
  .name('npm run conformance --')
  .description(
    'Runs the conformance suite against a gateway. It sends a few messages to numbers that are nobody’s, and uses up a minute of the bulk limit.',
  )
  .requiredOption('--url <url>', 'the base URL')
  .requiredOption('--client-id <id>', 'a client of scope messages, with nothing else running on it')
  .requiredOption('--client-secret <secret>', 'its secret')
  .option('--api-key <key>', 'an API key of the same client')
  .parse()
  .opts<{ url: string; clientId: string; clientSecret: string; apiKey?: string }>();

const api = await Api.at({ ...options, baseUrl: options.url.replace(/\/+$/, '') });
let failed = 0;
for (const { name, run } of checks) {
  try {
    await run(api);
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n      ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.log(
  `${checks.length - failed} of ${checks.length} checks passed; ${api.answers} answers held against the OpenAPI document`,
);
process.exitCode = failed === 0 ? 0 : 1;
