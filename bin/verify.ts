/**
 * `npm run verify -- --stage NAME`: measures on a deployed stage what no emulator shows, and what it promises over HTTP.
 * `--stage local` is the gateway that `npm start` runs. Exit status 0: every promise holds that applies; 1: one does not,
 * or something of the run is left; 2: invalid arguments, or no such stage; 130 or 143: interrupted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ConnectionFailure, localConnectionFile } from './admin/connection.ts';
import { interruption } from './verify/interruption.ts';
import { verify } from './verify/verify.ts';

const usage = `npm run verify -- --stage NAME [--stack-name NAME] [--gateway FILE] [--json]
                  [--webhook-url URL --listen PORT]

  --stage NAME        a deployed stage, with the AWS credentials and region of the environment; local: that of npm start
  --stack-name NAME   the stack, if the stage has several
  --gateway FILE      the connection of a local gateway
  --webhook-url URL   an address that the stage can reach and that leads to --listen on this machine
  --json              print one JSON document`;

const interrupted = interruption({
  on: (signal, handler) => process.on(signal, handler),
  say: console.error,
  exit: process.exit,
  now: () => performance.now(),
});

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      stage: { type: 'string' },
      'stack-name': { type: 'string' },
      gateway: { type: 'string', default: localConnectionFile },
      'webhook-url': { type: 'string' },
      listen: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.stage === undefined) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const { failed, left } = await verify({
    stage: values.stage,
    stackName: values['stack-name'],
    gateway: values.gateway,
    webhookUrl: values['webhook-url'],
    listen: values.listen === undefined ? undefined : Number(values.listen),
    environment: process.env,
    pause: (milliseconds, signal) => pause(milliseconds, undefined, { signal }),
    signal: interrupted.signal,
    print: values.json ? undefined : console.log,
    printJson: values.json ? (document) => console.log(JSON.stringify(document)) : undefined,
  });
  return failed === 0 && left.length === 0 ? 0 : 1;
}

const status = await run().catch((error: unknown) => {
  if (!(error instanceof ConnectionFailure) && !(error instanceof TypeError)) throw error;
  console.error(error.message);
  return 2;
});
process.exitCode = interrupted.status() ?? status;
