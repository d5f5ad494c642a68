/**
 * `npm run test:release -- clients [parts of the names of steps, with commas between]`: the clients in `clients/`, and the
 * API document as other people's tools take it, with a gateway started on this machine. Linters find nothing; generators
 * make clients that compile, and that call every operation; a mock server and libraries for OAuth agree with it. Tools are
 * fetched into `.local/clients`. Ends with 0 where every step that could run has passed.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../lib/build/openapi/document.ts';
import { gateway } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { newClient, tokenOf } from '../support/http/client.ts';
import { documentSteps } from './document-tools.ts';
import { generatedClientSteps } from './generated-clients.ts';
import { ownClientSteps } from './own-clients.ts';
import { packageSteps } from './packages.ts';
import { sampleSteps } from './samples.ts';
import { stepsNamed } from './steps.ts';
import { document, fetchTools, made, pythonWith } from './tools.ts';
import { webhookLibrarySteps } from './webhook-libraries.ts';

const [wanted = ''] = process.argv.slice(2);
const steps = stepsNamed(wanted);

await packageSteps(steps);
/** The steps of the packages need neither a gateway nor the other tools. */
const onlyPackages = wanted !== '' && wanted.split(',').every((part) => part.startsWith('packed'));
if (!onlyPackages) {
  console.log('Fetching the tools');
  await fetchTools();
  await startGateway();
}
try {
  if (!onlyPackages) await stepsWithGateway();
} finally {
  if (!onlyPackages) await stopGateway();
}
const { passed, failed, skipped } = steps.counts;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0) process.exitCode = 1;

async function stepsWithGateway(): Promise<void> {
  const { base_url } = gateway();
  const text = await (await fetch(`${base_url}/openapi.json`)).text();
  await writeFile(document, text);
  const newCredentials = async () => {
    const { clientId, clientSecret } = await newClient({ name: 'Clients' });
    return { BASE_URL: base_url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
  };
  await ownClientSteps(steps);
  await webhookLibrarySteps(steps);
  await documentSteps(steps, { text, credentials: await newCredentials() });
  const withRequests = await pythonWith(join(import.meta.dirname, '../fuzz/requirements.txt'));
  for (const { name, commands, work } of sampleSteps(withRequests, made))
    await steps.stepWith(commands, name, work);
  const parsed = JSON.parse(text) as OpenApiDocument;
  const newCaller = async () => {
    const client = await newClient({ name: 'Every operation' });
    return { client, token: await tokenOf(client.clientId, client.clientSecret) };
  };
  await generatedClientSteps(steps, { document: parsed, newCredentials, newCaller });
}
