/**
 * npm run check: the promises of a gateway over HTTP, by `--url` with a client's credentials, or by `--stage` with a client of
 * its own; with `--stage` also those that only AWS shows. Exit status 0: each holds; 1: one does not; 2: invalid arguments.
 */
import { Command } from 'commander';
import { type ConnectedGateway, connect, localConnectionFile } from '../../bin/admin/gateway-connection.ts';
import { modeOf } from '../../shared/contract/mode.ts';
import { Api, type Target } from './api.ts';
import { awsChecks } from './aws-checks.ts';
import { awsStage } from './aws-stage.ts';
import { checks } from './checks.ts';
import { deliveryCheck } from './message-checks.ts';
import { withStageClient } from './stage-client.ts';

interface Options {
  readonly url?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly apiKey?: string;
  readonly stage?: string;
  readonly stackName?: string;
  readonly gateway: string;
}

/** `npm start` runs this stage; every other one is on AWS. */
const localStage = 'local';

const command = new Command()
  .name('npm run check --')
  .description(
    'Checks the promises of a gateway. With --url it sends a few messages to numbers that are nobody’s; with --stage it has test credentials. It uses up a minute of the bulk limit.',
  )
  .option('--url <url>', 'the base URL of any gateway')
  .option('--client-id <id>', 'with --url: a client of scope messages, with nothing else running on it')
  .option('--client-secret <secret>', 'with --url: its secret')
  .option('--api-key <key>', 'with --url: an API key of the same client')
  .option(
    '--stage <name>',
    'a deployed stage, with the AWS credentials of the environment; local: that of npm start',
  )
  .option('--stack-name <name>', 'the stack, if the stage has several')
  .option('--gateway <file>', 'the connection of a local gateway', localConnectionFile)
  .configureOutput({ outputError: (text, write) => write(text) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const options = command.opts<Options>();

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted = true;
    console.error('Interrupted: the run ends after this check. Repeat it to end at once.');
  });

let [passed, failed] = [0, 0];

async function show(name: string, run: () => Promise<string | undefined>): Promise<void> {
  if (interrupted) return;
  try {
    const skipped = await run();
    if (skipped === undefined) passed += 1;
    console.log(skipped === undefined ? `ok    ${name}` : `–     ${name}: ${skipped}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n      ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function checkHttp(target: Target): Promise<void> {
  const api = await Api.at(target);
  const isTest = modeOf(target.clientId) === 'test';
  for (const { name, run } of isTest ? [deliveryCheck, ...checks] : checks)
    await show(name, async () => {
      await run(api);
      return undefined;
    });
}

async function checkAws(gateway: ConnectedGateway, apiKey: string): Promise<void> {
  const stage = await awsStage(gateway, apiKey);
  for (const { name, run } of awsChecks) await show(name, () => run(stage));
}

async function checkStage({ stage = '', stackName, gateway: file }: Options): Promise<void> {
  const isLocal = stage === localStage && stackName === undefined;
  const { ctx, gateway } = await connect(
    isLocal ? { gateway: file } : { stage, stackName, gateway: file },
    process.env,
  );
  await withStageClient(ctx, async (client) => {
    if (!isLocal) await checkAws(gateway, client.apiKey);
    await checkHttp({ ...client, baseUrl: gateway.baseUrl });
  });
}

const { url, clientId, clientSecret, apiKey, stage } = options;
if (stage !== undefined) await checkStage(options);
else if (url !== undefined && clientId !== undefined && clientSecret !== undefined)
  await checkHttp({ baseUrl: url.replace(/\/+$/, ''), clientId, clientSecret, apiKey });
else command.error('Give --stage, or --url with --client-id and --client-secret.');

console.log(`${passed} of ${passed + failed} checks passed${interrupted ? ', interrupted' : ''}`);
process.exitCode = failed === 0 && !interrupted ? 0 : 1;
