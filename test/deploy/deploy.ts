/**
 * The life of a deployed gateway by the CDK's command line, as the README's deploy section tells it, on a fresh
 * emulator: deployed, unchanged, upgraded under traffic, its token key rotated, rolled back, destroyed.
 * `npm run test:deploy` prints what it showed, and exits with 1 where something did not hold.
 */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { decodeProtectedHeader } from 'jose';
import { type Emulator, emulatorAccess, startEmulator } from '../../lib/local/emulator.ts';
import { type Front, startFront } from '../../lib/local/front.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { documentClient } from '../../shared/aws.ts';
import { dynamoClientAdmin } from '../../shared/client/client-admin.dynamo.ts';
import { createDemoClients, type DemoClients } from '../../shared/client/demo-clients.ts';
import { type Checkout, checkout } from './checkout.ts';
import { type CommandLine, commandLine } from './command-line.ts';
import { type StackResource, type Survey, surveyOf } from './survey.ts';
import { type Receiver, sendOne, startReceiver, startTraffic, tokenOf, withoutWebhooks } from './traffic.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');
const logFolder = join(localFolder, 'deploy');
const stackName = 'messaging-gateway-local';
const stage = ['-c', 'stage=local'];
const keptStackName = 'messaging-gateway-kept';
const kept = [...stage, '-c', `stackName=${keptStackName}`, '-c', 'keepData=true'];
const sendEveryMs = 300;

/** A queue that keeps its messages for a second, which SQS refuses, made after all the rest was changed. */
const brokenResource = `const broken = new CfnQueue(this, 'Broken', { messageRetentionPeriod: 1 });
    broken.node.addDependency(this.node.findChild('Messaging'), this.node.findChild('Api'));
    `;

let passed = 0;
let failed = 0;
let current = 'setting up';

/** States something that was seen, and whether it is what it should be. */
function show(holds: boolean, what: string, otherwise = ''): void {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`  ${holds ? '✓' : '✗'} ${what}${holds || otherwise === '' ? '' : `\n      ${otherwise}`}`);
}

async function part(name: string, run: () => Promise<void>): Promise<void> {
  current = name;
  const started = Date.now();
  console.log(name);
  await run();
  console.log(`  ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

interface Ground {
  readonly cdk: CommandLine;
  readonly survey: Survey;
  readonly front: Front;
  readonly receiver: Receiver;
  readonly endpoint: string;
  readonly baseUrl: string;
}

async function firstDeploy({ cdk, survey, front, endpoint, baseUrl }: Ground, first: Checkout) {
  const bootstrap = await cdk.cdk(first.folder, 'bootstrap', ...stage);
  show(bootstrap.status === 0, 'cdk bootstrap', bootstrap.output);
  const deployed = await cdk.deploy(first.folder, ...stage);
  show(deployed.status === 0, 'cdk deploy makes the stack', deployed.output.slice(-2000));
  const functions = await survey.codeOf(stackName);
  show(
    functions.size > 0,
    `${(await survey.resources(stackName)).length} resources, ${functions.size} functions`,
  );
  const { outputs } = deployed;
  front.open({ endpoint, apiId: outputs.ApiId ?? '', apiStage: 'live' });
  const clients = await makeClients(endpoint, outputs);
  const token = await tokenOf(baseUrl, clients);
  return { outputs, clients, token };
}

async function makeClients(endpoint: string, outputs: Record<string, string>): Promise<DemoClients> {
  const { region, accessKeyId, secretAccessKey } = emulatorAccess;
  const dynamo = documentClient(
    new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } }),
  );
  const clients = await createDemoClients(
    dynamoClientAdmin(dynamo, {
      clients: outputs.ClientsTable ?? '',
      api_keys: outputs.ApiKeysTable ?? '',
      client_secrets: outputs.ClientSecretsTable ?? '',
    }),
    new Date(),
  );
  // The traffic is more than a client's default limit.
  await dynamo.send(
    new PutCommand({
      TableName: outputs.LimitOverridesTable,
      Item: {
        client_id: clients.client_id,
        endpoint: 'POST /api/v1/sms/send',
        per_minute: 10_000,
        per_hour: 100_000,
        per_day: 100_000,
      },
    }),
  );
  return clients;
}

async function nothingChanges({ cdk }: Ground, { folder }: Checkout): Promise<void> {
  const again = await cdk.deploy(folder, ...stage);
  show(
    again.status === 0 && again.output.includes('(no changes)'),
    'a second deploy changes nothing',
    again.output,
  );
  const diff = await cdk.cdk(folder, 'diff', '--fail', ...stage);
  show(diff.status === 0 && /differences: 0/.test(diff.output), 'cdk diff is empty', diff.output);
}

/** Runs a deploy while messages are sent, and accounts for every one of them. */
async function underTraffic(
  { receiver, baseUrl }: Ground,
  token: string,
  deploy: () => Promise<void>,
): Promise<void> {
  const traffic = startTraffic(baseUrl, token, receiver.url, sendEveryMs);
  await pause(1500);
  const before = traffic.taken.length;
  await deploy();
  const during = traffic.taken.length - before;
  await pause(1500);
  await traffic.end();
  show(
    traffic.refused.length === 0,
    `${traffic.taken.length} messages taken (${before} before, ${during} while it was deployed), none refused, ${traffic.repeated.length} requests repeated under their key`,
    `${traffic.refused.length} refused: ${[...new Set(traffic.refused)].slice(0, 5).join('; ')}`,
  );
  if (traffic.repeated.length > 0)
    console.log(`      repeated upon: ${[...new Set(traffic.repeated)].join('; ')}`);
  const missing = await withoutWebhooks(receiver, traffic.taken, 120);
  const twice = traffic.taken.filter((id) => (receiver.events.get(id)?.length ?? 0) > 2).length;
  show(
    missing.length === 0,
    `every one was sent and delivered, and both of its webhooks came (${twice} came twice)`,
    `${missing.length} lack a webhook: ${missing.slice(0, 5).join()}`,
  );
}

async function upgrade(ground: Ground, token: string, second: Checkout): Promise<void> {
  const { cdk, survey, receiver } = ground;
  const before = await survey.codeOf(stackName);
  const sofar = new Set(receiver.events.keys());
  await underTraffic(ground, token, async () => {
    const upgraded = await cdk.deploy(second.folder, ...stage);
    show(upgraded.status === 0, 'cdk deploy of the next release', upgraded.output.slice(-2000));
  });
  const after = await survey.codeOf(stackName);
  const changed = [...after].filter(([name, code]) => before.get(name) !== code).length;
  show(
    changed === before.size && after.size === before.size,
    `new code in ${changed} of ${before.size} functions`,
  );
  const agents = new Set(
    [...receiver.events]
      .filter(([id]) => !sofar.has(id))
      .flatMap(([, events]) => events.map((e) => e.userAgent)),
  );
  show(
    [...agents].some((agent) => agent.includes('next-release')),
    `webhooks came from ${[...agents].sort().join(' and then ')}`,
  );
}

async function rotateTokenKey(
  ground: Ground,
  clients: DemoClients,
  next: Checkout,
  old: string,
): Promise<string[]> {
  const { cdk, baseUrl, receiver } = ground;
  const generations = ['-c', 'tokenKeyGenerations=[1,2]'];
  await underTraffic(ground, old, async () => {
    const rotated = await cdk.deploy(next.folder, ...stage, ...generations);
    show(rotated.status === 0, 'cdk deploy -c tokenKeyGenerations=[1,2]', rotated.output.slice(-2000));
  });
  const fresh = await tokenOf(baseUrl, clients);
  const [before, after] = [decodeProtectedHeader(old).kid, decodeProtectedHeader(fresh).kid];
  show(before !== after, 'a new token is signed by the new key');
  for (const [name, token] of [
    ['old', old],
    ['new', fresh],
  ] as const) {
    const answer = await sendOne(baseUrl, token, receiver.url);
    show(
      answer.status === 202,
      `a token of the ${name} key is accepted`,
      `${answer.status} ${await answer.text()}`,
    );
  }
  return generations;
}

async function rollBack(ground: Ground, token: string, broken: Checkout, settings: string[]): Promise<void> {
  const { cdk, survey } = ground;
  const before = await survey.codeOf(stackName);
  await underTraffic(ground, token, async () => {
    const ran = await cdk.deploy(broken.folder, ...stage, ...settings);
    show(ran.status !== 0, 'a deploy that cannot succeed ends with an error', ran.output.slice(-2000));
  });
  const status = await survey.stackStatus(stackName);
  show(status === 'UPDATE_ROLLBACK_COMPLETE', `the stack is in ${status}`);
  const after = await survey.codeOf(stackName);
  const same = [...before].filter(([name, code]) => after.get(name) === code).length;
  show(same === before.size, `the code of ${same} of ${before.size} functions is what it was`);
}

async function destroy({ cdk, survey }: Ground, { folder }: Checkout): Promise<void> {
  const resources = await survey.resources(stackName);
  const destroyed = await cdk.cdk(folder, 'destroy', '--force', ...stage);
  show(destroyed.status === 0, 'cdk destroy', destroyed.output.slice(-2000));
  show((await survey.stackStatus(stackName)) === 'gone', 'the stack is gone');
  const left = await survey.standing(resources);
  show(left.length === 0, `nothing is left of its ${resources.length} resources`, describe(left));
}

async function destroyWhatIsKept({ cdk, survey }: Ground, { folder }: Checkout): Promise<void> {
  const protectedStack = [...kept, '-c', 'terminationProtection=true'];
  const deployed = await cdk.deploy(folder, ...protectedStack);
  show(deployed.status === 0, 'cdk deploy of a stage that keeps its data', deployed.output.slice(-2000));
  const resources = await survey.resources(keptStackName);
  const refused = await cdk.cdk(folder, 'destroy', '--force', ...protectedStack);
  show(
    refused.status !== 0 && (await survey.stackStatus(keptStackName)) === 'CREATE_COMPLETE',
    'cdk destroy is refused as long as the stack is protected',
    refused.output.slice(-2000),
  );
  const unprotected = await cdk.deploy(folder, ...kept, '-c', 'terminationProtection=false');
  show(unprotected.status === 0, 'a deploy takes the protection back', unprotected.output.slice(-2000));
  const destroyed = await cdk.cdk(folder, 'destroy', '--force', ...kept);
  show(destroyed.status === 0, 'cdk destroy', destroyed.output.slice(-2000));
  const left = await survey.standing(resources);
  const keeps = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::Logs::LogGroup'];
  for (const type of keeps) {
    const [all, still] = [resources, left].map((list) => list.filter((one) => one.type === type).length);
    show(all === still && all !== 0, `${still} of ${all} ${type} stay`);
  }
  const others = left.filter(({ type }) => !keeps.includes(type));
  show(others.length === 0, `nothing else stays of its ${resources.length} resources`, describe(others));
}

const describe = (resources: readonly StackResource[]): string =>
  resources.map(({ type, id }) => `${type} ${id}`).join(', ');

async function run(
  emulator: Emulator,
  front: Front,
  receiver: Receiver,
  checkouts: Checkout[],
): Promise<void> {
  const log = createWriteStream(join(logFolder, 'cdk.log'));
  const ground: Ground = {
    cdk: await commandLine(emulator.endpoint, log),
    survey: surveyOf(emulator.endpoint),
    front,
    receiver,
    endpoint: emulator.endpoint,
    baseUrl: `http://127.0.0.1:${front.port}`,
  };
  const [first, next, broken] = checkouts;
  if (first === undefined || next === undefined || broken === undefined) throw new Error('three are needed');
  await next.release('next-release');
  await next.edit(
    'lib/storage.ts',
    "'by-carrier-id': {",
    "'by-status': { partition: 'status', projection: 'keys' },\n      'by-carrier-id': {",
  );
  await broken.release('broken-release');
  const marker = 'this.publish(storage.names());';
  await broken.edit('lib/gateway-stack.ts', marker, `${brokenResource}${marker}`);
  const firstImport = 'import type { Construct }';
  const importQueue = "import { CfnQueue } from 'aws-cdk-lib/aws-sqs';";
  await broken.edit('lib/gateway-stack.ts', firstImport, `${importQueue}\n${firstImport}`);
  // The rules would find such a queue before CloudFormation does.
  await broken.edit('bin/app.ts', 'keepRules(app);', '');

  let clients: DemoClients | undefined;
  let token = '';
  await part('First deploy', async () => {
    ({ clients, token } = await firstDeploy(ground, first));
  });
  await part('Second deploy', () => nothingChanges(ground, first));
  await part('Upgrade under traffic', () => upgrade(ground, token, next));
  let settings: string[] = [];
  await part('Rotation of the token key under traffic', async () => {
    if (clients === undefined) throw new Error('there are no clients');
    settings = await rotateTokenKey(ground, clients, next, token);
  });
  await part('Failed deploy under traffic', () => rollBack(ground, token, broken, settings));
  await part('Destroy', () => destroy(ground, next));
  await part('Destroy of a stage that keeps its data', () => destroyWhatIsKept(ground, next));
}

await mkdir(logFolder, { recursive: true });
const python = await pythonWithPackages(localFolder, console.log, new AbortController().signal);
const emulator = await startEmulator({
  python,
  logFile: join(logFolder, 'emulator.log'),
  searchPath: process.env.PATH ?? '',
  signal: new AbortController().signal,
});
const front = await startFront(0);
const receiver = await startReceiver();
const checkouts = await Promise.all([checkout(), checkout(), checkout()]);
try {
  await run(emulator, front, receiver, checkouts);
} catch (error) {
  show(false, current, String(error));
} finally {
  receiver.close();
  await front.close();
  await emulator.stop();
  await Promise.all(checkouts.map((one) => one.remove()));
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
