/**
 * `npm run test:release -- clients [parts of the names of steps, with commas between]`: the clients in `clients/`, and the API
 * document as a linter and two generators use it, with a gateway started on this machine. Tools
 * are fetched into `.local/clients`. Exits with 0 if every step that could run has passed.
 */
import { writeFile } from 'node:fs/promises';
import { gateway } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { documentSteps } from './document-tools.ts';
import { ownClientSteps } from './own-clients.ts';
import { stepsNamed } from './steps.ts';
import { document, fetchTools } from './tools.ts';

const [wanted = ''] = process.argv.slice(2);
const steps = stepsNamed(wanted);

console.log('Fetching the tools');
await fetchTools();
await startGateway();
try {
  await writeFile(document, await (await fetch(`${gateway().base_url}/openapi.json`)).text());
  await ownClientSteps(steps);
  await documentSteps(steps);
} finally {
  await stopGateway();
}
const { passed, failed, skipped } = steps.counts;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0) process.exitCode = 1;
