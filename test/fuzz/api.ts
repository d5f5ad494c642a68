/**
 * `npm run test:release -- fuzz [examples per operation] [seed]`: a gateway started on this machine against its own OpenAPI document,
 * by schemathesis with all its checks, and against requests that no operation takes. No 5xx, no response and no webhook
 * that the document does not know, and enough of each operation met. Each request of a live key is made again with a test
 * key: both are answered alike, and only live messages reach the carriers. Ends with 0 where all of that held.
 */
import { join } from 'node:path';
import { openApiDocument } from '../../lib/build/openapi/document.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { noFaults } from '../carriers/faults.ts';
import { callbackReporter } from '../carriers/reporters.ts';
import { startStandIn } from '../carriers/stand-in.ts';
import { readVendorDescription } from '../support/carrier/vendor-description.ts';
import { metaVendor } from '../support/carrier/vendors/meta.ts';
import { twilioVendor } from '../support/carrier/vendors/twilio.ts';
import { accessDenials } from '../support/gateway/every-log.ts';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { apiDocument } from '../support/http/api-document.ts';
import { newClient, type TestClient, withTestKey } from '../support/http/client.ts';
import { bodyOf, startWebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';
import { bothModes } from './both-modes.ts';
import { startCountingFront } from './counting-front.ts';
import { makeKnown } from './known.ts';
import { runSchemathesis } from './schemathesis.ts';
import { tallyOfAnswers } from './tally.ts';
import { fuzzUnmatched } from './unmatched.ts';

const [examples = '400', seed = '20261121'] = process.argv.slice(2);
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
const modes = bothModes(document);
const webhookEndpoint = await startWebhookEndpoint();
const carriers = await Promise.all(
  [twilioVendor, metaVendor].map(async (vendor) => ({
    vendor,
    ...(await startStandIn(vendor, noFaults, readVendorDescription(vendor.description))),
  })),
);
const running = await runGateway({
  settings: { smsCarrier: twilioVendor.name, whatsappCarrier: metaVendor.name },
  secrets: Object.fromEntries(
    carriers.map(({ url, vendor }) => [
      vendor.name,
      JSON.stringify({ ...vendor.credentials, base_url: url }),
    ]),
  ),
});
try {
  for (const { vendor, reportBy } of carriers) reportBy(callbackReporter(vendor, running.baseUrl));
  const live = await newClient({ name: 'Fuzz' });
  const test = await withTestKey(live);
  const known = await makeKnown(live, webhookEndpoint.url);
  modes.pair(
    { ...known, apiKey: live.apiKey },
    { ...(await makeKnown(test, webhookEndpoint.url)), apiKey: test.apiKey },
  );
  const front = await startCountingFront(running.baseUrl, tally, modes.compare);
  const started = performance.now();
  const result = await runSchemathesis({
    python,
    baseUrl: front.baseUrl,
    examples,
    seed,
    workingFolder: localFolder,
    environment: { FUZZ_API_KEY: live.apiKey, FUZZ_KNOWN: JSON.stringify(known) },
  });
  const seconds = (performance.now() - started) / 1000;
  const waitedSeconds = front.waitedSeconds();
  const unmatched = await fuzzUnmatched(front.baseUrl, document, {
    numRuns: unmatchedRequests,
    seed: Number(seed),
  }).catch((error: unknown) => String(error));
  await front.close();
  const denials = await accessDenials();
  report(result, { seconds, waitedSeconds, repeated: front.repeated() }, unmatched, [
    ...denials,
    ...(await carrierFaults(test)),
  ]);
} finally {
  await running.stop();
  await webhookEndpoint.close();
  for (const carrier of carriers) await carrier.close();
}

/** A carrier takes live messages, and none with a test key. */
async function carrierFaults(test: TestClient): Promise<string[]> {
  const taken = new Set(
    carriers.flatMap(({ ledger }) => ledger.taken.map(({ attemptId }) => attemptId.split('.')[0])),
  );
  const faults = taken.size === 0 ? ['no message reached a carrier'] : [];
  let cursor = '';
  do {
    const { body } = await test.call('GET', `/api/v1/messages?limit=100${cursor && `&cursor=${cursor}`}`);
    for (const { message_id } of body.messages as readonly { readonly message_id: string }[])
      if (taken.has(message_id)) faults.push(`the test message ${message_id} reached a carrier`);
    cursor = String(body.next_cursor ?? '');
  } while (cursor !== '');
  console.log(`${taken.size} live messages reached a carrier`);
  return faults;
}

function report(
  { generated, passed, status }: Awaited<ReturnType<typeof runSchemathesis>>,
  {
    seconds,
    waitedSeconds,
    repeated,
  }: { readonly seconds: number; readonly waitedSeconds: number; readonly repeated: number },
  unmatched: number | string,
  others: readonly string[],
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
    ...modes.differences().map((difference) => `live and test keys differ: ${difference}`),
    ...(modes.compared() === 0 ? ['no request was made with a test key'] : []),
    ...others,
  ];
  console.log(`\nAnswers by operation, seed ${seed}`);
  for (const line of tally.lines()) console.log(line);
  const waited = `${waitedSeconds.toFixed(0)} of them for the gateway`;
  console.log(`\n${generated} cases, ${passed} passed, in ${seconds.toFixed(0)} s, ${waited}`);
  console.log(`${repeated} requests were answered 503 and made again`);
  console.log(
    `${modes.compared()} requests made with both keys, ${modes.differences().length} answered differently`,
  );
  console.log(
    `${unmatched} requests that no operation takes; ${webhookEndpoint.posts.length} webhooks received`,
  );
  console.log(failures.length === 0 ? 'failures: 0' : `failures:\n${failures.join('\n')}`);
  if (failures.length > 0) process.exitCode = 1;
}
