/**
 * `npm run test:release -- fuzz [examples per operation] [seed]`: a gateway started on this machine against its own OpenAPI document,
 * by schemathesis with all its checks, and against requests that no operation takes. No 5xx, no response and no webhook
 * that the document does not know, and enough of each operation met. Ends with 0 where all of that held.
 */
import { join } from 'node:path';
import { openApiDocument } from '../../lib/build/openapi/document.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { gateway } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { apiDocument } from '../support/http/api-document.ts';
import { putAllLimits } from '../support/rate-limit/put-limits.ts';
import { bodyOf, startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';
import { startCountingFront } from './counting-front.ts';
import { makeKnown } from './known.ts';
import { runSchemathesis } from './schemathesis.ts';
import { tallyOfAnswers } from './tally.ts';
import { fuzzUnmatched } from './unmatched.ts';

const [examples = '1000', seed = '20261121'] = process.argv.slice(2);
/** A run with examples of its own choice is as long as it is. */
const wanted = process.argv.length > 2 ? 0 : 10_000;
const unmatchedRequests = 1000;
const localFolder = join(import.meta.dirname, '../../.local');
const python = await pythonWithPackages(
  localFolder,
  () => console.log('Installing schemathesis (once)'),
  new AbortController().signal,
  join(import.meta.dirname, 'requirements.txt'),
);
const document = apiDocument(openApiDocument());
const tally = tallyOfAnswers();
const webhookEndpoint = await startWebhookEndpoint();
await startGateway();
try {
  await liftLimits();
  const front = await startCountingFront(gateway().base_url, tally);
  const started = performance.now();
  const result = await runSchemathesis({
    python,
    baseUrl: front.baseUrl,
    examples,
    seed,
    workingFolder: localFolder,
    environment: {
      FUZZ_API_KEY: gateway().api_key,
      FUZZ_KNOWN: JSON.stringify(await makeKnown(webhookEndpoint.url)),
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const waitedSeconds = front.waitedSeconds();
  const unmatched = await fuzzUnmatched(front.baseUrl, document, {
    numRuns: unmatchedRequests,
    seed: Number(seed),
  }).catch((error: unknown) => String(error));
  front.close();
  report(result, { seconds, waitedSeconds }, unmatched);
} finally {
  await stopGateway();
  await webhookEndpoint.close();
}

/** What is met is to be the operations, and not the limiter. */
async function liftLimits(): Promise<void> {
  const { client_id, tables } = gateway();
  const { limit_overrides: table } = tables;
  if (table === undefined) throw new Error('the gateway has no table of limits');
  const limits = { perMinute: 30_000, perHour: 1_000_000, perDay: 10_000_000 };
  await putAllLimits(dynamo(), table, client_id, limits);
}

function report(
  { generated, passed, status }: Awaited<ReturnType<typeof runSchemathesis>>,
  { seconds, waitedSeconds }: { readonly seconds: number; readonly waitedSeconds: number },
  unmatched: number | string,
): void {
  const webhookFaults = webhookEndpoint.posts.flatMap((post) =>
    document.schemaFaults('WebhookEvent', bodyOf(post)),
  );
  const failures = [
    ...(status === 0 ? [] : [`schemathesis ended with ${status}`]),
    ...tally.faults(),
    ...(wanted > generated ? [`${generated} cases are fewer than ${wanted}`] : []),
    ...(typeof unmatched === 'string' ? [unmatched] : []),
    ...new Set(webhookFaults.map((fault) => `a webhook: ${fault}`)),
  ];
  console.log(`\nAnswers by operation, seed ${seed}`);
  for (const line of tally.lines()) console.log(line);
  const waited = `${waitedSeconds.toFixed(0)} of them for the gateway`;
  console.log(`\n${generated} cases, ${passed} passed, in ${seconds.toFixed(0)} s, ${waited}`);
  console.log(
    `${unmatched} requests that no operation takes; ${webhookEndpoint.posts.length} webhooks received`,
  );
  console.log(failures.length === 0 ? 'failures: 0' : `failures:\n${failures.join('\n')}`);
  if (failures.length > 0) process.exitCode = 1;
}
