/**
 * Loads every function's bundle with Amazon's own runtime client, in the environment of the deployed function, and
 * sends it one event: `npm run test:all -- lambda-runtime`, with `--native` by that client's native addon. The emulator
 * and the tests have runtimes of their own; this is the one that functions have on Lambda.
 */

import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FunctionConfiguration, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { createDemoClients, dynamoClientAdmin } from '../../bin/demo-clients.ts';
import { bundleFunctions } from '../../lib/build/bundle.ts';
import { aimAtEmulator } from '../../lib/local/aim-at-emulator.ts';
import { connectionOf } from '../../lib/local/connection.ts';
import { startLocalGateway } from '../../lib/local/gateway.ts';
import { stages } from '../../lib/stages/stages.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { startCarrierServer } from '../support/carrier/carrier-server.ts';
import { type Case, casesOf } from './cases.ts';
import { installRuntimeClient } from './install.ts';
import { invoke } from './runtime.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');
const client = await installRuntimeClient(localFolder, process.argv.includes('--native'));
console.log(`aws-lambda-ric, ${client.isWhole ? 'with its native addon' : 'without its native addon'}`);

const gateway = await startLocalGateway({
  port: 0,
  timeScale: 1000,
  cacheFolder: localFolder,
  logFolder: join(localFolder, 'lambda-runtime'),
  environment: process.env,
  progress: () => undefined,
  signal: new AbortController().signal,
});
/** Its list of people who opted out is empty. */
const carrier = await startCarrierServer();
carrier.answerWith({ result: { OptedOutNumbers: [] } });
const posts: string[] = [];
const endpoint = createServer((request, response) => {
  posts.push(String(request.headers['webhook-id']));
  response.writeHead(200).end();
}).listen(0, '127.0.0.1');
await once(endpoint, 'listening');
const scratch = mkdtempSync(join(tmpdir(), 'messaging-gateway-functions-'));
let passed = 0;
const failures: string[] = [];
try {
  aimAtEmulator(process.env, gateway.aws);
  const clients = await createDemoClients(dynamoClientAdmin(dynamo(), gateway.tables), new Date());
  const connection = connectionOf(gateway, clients);
  const deployed = await deployedFunctions();
  const [first] = deployed.values();
  if (first !== undefined) {
    for (const [name, variables] of Object.entries(onlyOnAws(connection)))
      deployed.set(name, withVariables(first, variables));
  }
  const cases = await casesOf({
    connection,
    endpoint: { url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`, posts },
    carrier,
  });
  const wanted = bundleFunctions().functionNames;
  for (const [what, names] of [
    ['deployed', [...deployed.keys()]],
    ['given an event here', Object.keys(cases)],
  ] as const) {
    const missing = wanted.filter((name) => !names.includes(name));
    if (missing.length > 0) failures.push(`not ${what}: ${missing.join(', ')}`);
  }
  const broken = { ...deployed.get('describe-api'), Handler: 'index.absent' };
  const told = await faultOf('describe-api', broken, cases['describe-api'] as Case);
  if (told?.includes('HandlerNotFound') !== true)
    failures.push(`a handler that is absent goes unnoticed: ${told}`);
  for (const name of wanted) {
    const [configuration, aCase] = [deployed.get(name), cases[name]];
    if (configuration === undefined || aCase === undefined) continue;
    const fault = await faultOf(name, configuration, aCase);
    if (fault === undefined) passed += 1;
    else failures.push(`${name}: ${fault}`);
    console.log(`${name}: ${fault ?? aCase.says}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
  endpoint.close().closeAllConnections();
  await carrier.close();
  await gateway.stop();
}
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

/** By the name of their file, which ends their description. */
async function deployedFunctions(): Promise<Map<string, FunctionConfiguration>> {
  const found = new Map<string, FunctionConfiguration>();
  for await (const { Functions = [] } of paginateListFunctions({ client: new LambdaClient({}) }, {})) {
    for (const one of Functions) found.set(String(one.Description).split(': ').at(-1) ?? '', one);
  }
  return found;
}

/** The functions that the local stage does not have, with their variables. */
function onlyOnAws({
  tables,
  base_url,
}: ReturnType<typeof connectionOf>): Record<string, Record<string, string>> {
  return {
    'synthetic-send': {
      CLIENTS_TABLE: tables.clients ?? '',
      TOKEN_ISSUER: base_url,
      SMS_CARRIER: 'simulator',
    },
    'report-verified': {
      MESSAGES_TABLE: tables.messages ?? '',
      ONE_TIME_PASSWORDS_TABLE: tables.one_time_passwords ?? '',
    },
    'compare-opt-outs': {
      MESSAGES_TABLE: tables.messages ?? '',
      SUPPRESSIONS_TABLE: tables.suppressions ?? '',
      WHATSAPP_WINDOWS_TABLE: tables.whatsapp_windows ?? '',
      SMS_OPT_OUT_LIST: 'Default',
      AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: carrier.url,
    },
  };
}

function withVariables(
  other: FunctionConfiguration,
  variables: Readonly<Record<string, string>>,
): FunctionConfiguration {
  const Variables = { LOG_LEVEL: 'INFO', RETENTION_DAYS: '30', ...variables };
  return { ...other, Handler: 'index.handler', Timeout: 300, Environment: { Variables } };
}

async function faultOf(name: string, deployed: FunctionConfiguration, { event, judge }: Case) {
  // As it is uploaded: with nothing of the project around it.
  const taskRoot = join(scratch, name);
  const { PRICES_FILE } = deployed.Environment?.Variables ?? {};
  const files = PRICES_FILE === undefined ? {} : { [PRICES_FILE]: JSON.stringify(stages.local.prices) };
  cpSync(bundleFunctions().folder(name, files), taskRoot, { recursive: true });
  const { response, error, output } = await invoke({
    client,
    taskRoot,
    handler: deployed.Handler ?? '',
    functionArn: deployed.FunctionArn ?? '',
    timeoutSeconds: deployed.Timeout ?? 3,
    environment: {
      ...deployed.Environment?.Variables,
      AWS_ENDPOINT_URL: gateway.aws.endpoint,
      AWS_REGION: gateway.aws.region,
      AWS_ACCESS_KEY_ID: gateway.aws.access_key_id,
      AWS_SECRET_ACCESS_KEY: gateway.aws.secret_access_key,
    },
    event,
  });
  const fault = error ?? (await judge(response));
  return fault === undefined ? undefined : `${fault}\n${JSON.stringify(response)}\n${output}`;
}
