/** The commands of `npm run admin`. Exit status 0: done; 1: failed, or done only in part; 2: invalid arguments. */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { GatewayError } from '../../shared/contract/errors.ts';
import { printable } from '../../shared/platform/visible-text.ts';
import { addActivityCommand } from './activity-command.ts';
import { addClientCommands } from './client-commands.ts';
import { AdminCommand, type CommandResult, type Session } from './command.ts';
import { addClientNamesCommand, addCompletionCommand } from './completion-command.ts';
import { ConnectionFailure, connect, localConnectionFile } from './connection.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addFindCommand } from './find-command.ts';
import { addLimitCommands } from './limit-commands.ts';
import { addLogCommands } from './log-commands.ts';
import { addMessageCommands } from './message-commands.ts';
import { addOtpCommands } from './otp-commands.ts';
import { addRefusalCommands } from './refusal-commands.ts';
import { addRestoreCommand } from './restore-command.ts';
import { addSenderCommands } from './sender-commands.ts';
import { addSetAsideCommands } from './set-aside-commands.ts';
import { addSuppressionCommands } from './suppression-commands.ts';
import { addUsageCommand } from './usage-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const failed = 1;
const invalidArguments = 2;

const examples = `
Examples:
  $ npm run admin -- find 07700 900104
  $ npm run admin -- doctor "Web shop"
  $ npm run admin -- clients create --name "Web shop"
  $ npm run admin -- clients allow "Web shop" --countries GB,FR --senders ACME,otp,whatsapp
  $ npm run admin -- messages list --to +447700900123
  $ npm run admin -- refusals list --client "Web shop"
  $ npm run admin -- logs tail --client "Web shop"
  $ npm run admin -- limits set "Web shop" sms_send --per-minute 300
  $ npm run admin -- senders set --client '*' --country GB --identity ACME
  $ npm run admin -- webhooks failed
  $ npm run admin -- webhooks resend whd_01J9ZK3V7QF8N2M4X6R0T5W1Y3
  $ npm run admin -- activity --by petra --since 7d
  $ npm run admin -- otp allow "Web shop" FR
  $ npm run admin -- suppressions list "Web shop"
  $ npm run admin -- inbound send --from +447700900123 --text STOP
  $ npm run admin -- set-aside list
  $ npm run admin -- restore --to 2h --table messages --plan
  $ npm run admin -- usage --month 2026-11 --csv
  $ npm run admin -- outbox list --to +447700900123 --json
  $ npm run admin -- --stage production clients list

Exit status: 0 done, 1 failed or done only in part, 2 invalid arguments.`;

/** How a person calls the program in the project, where npm swallows options without the two dashes. */
const inProject = /npm run (?:--silent )?admin --/g;

/** How a shell calls the program of the project from any folder. */
const callInProject = [
  'npm',
  '--prefix',
  join(import.meta.dirname, '..', '..'),
  'run',
  '--silent',
  'admin',
  '--',
];

/** The functions by which a command writes, and how it is called. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** How the program of the package is called; by default it is that of the project. */
  readonly packaged?: PackagedProgram | undefined;
}

interface PackagedProgram {
  /** The command in help texts, in place of `npm run admin --`. */
  readonly command: string;
  /** The file of the program, which a shell calls from any folder. */
  readonly file: string;
}

/** Runs the command of these words; returns its exit status. */
export async function runCommand(words: readonly string[], output: Output): Promise<number> {
  const { packaged } = output;
  const out = (text: string): void => output.out(printable(text));
  const err = (text: string): void => output.err(printable(text));
  const ofHelp = (text: string): string =>
    packaged === undefined ? text : text.replaceAll(inProject, packaged.command);
  const program = new AdminCommand(execute)
    .name('npm run admin --')
    .description(
      packaged === undefined
        ? 'Administers a messaging gateway: the one that npm start runs here, or a deployed stage.'
        : 'Administers a messaging gateway that is deployed.',
    )
    .option(
      '--stage <name>',
      'a deployed stage or stack, with the AWS credentials and region of the environment',
    )
    .option('--stack-name <name>', 'a deployed gateway by the name of its stack, if a stage has several')
    .option('--gateway <file>', 'the connection of a local gateway', localConnectionFile)
    .option('--json', 'print one JSON document', false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => out(ofHelp(text)),
      writeErr: (text) => err(ofHelp(text)),
    })
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
    .addHelpText('after', examples);
  addFindCommand(program);
  addDoctorCommand(program);
  addClientCommands(program);
  addLimitCommands(program);
  addSenderCommands(program);
  addWebhookCommands(program);
  addMessageCommands(program);
  addRefusalCommands(program);
  addLogCommands(program);
  addSuppressionCommands(program);
  addUsageCommand(program);
  addActivityCommand(program);
  addOtpCommands(program);
  addSetAsideCommands(program);
  addRestoreCommand(program);
  addClientNamesCommand(program);
  addCompletionCommand(program, print, packaged === undefined ? callInProject : ['node', packaged.file]);

  let partlyDone = false;
  try {
    await program.parseAsync(words, { from: 'user' });
    return partlyDone ? failed : 0;
  } catch (error) {
    return statusOf(error);
  }

  async function execute(work: (session: Session) => Promise<CommandResult>): Promise<void> {
    const options = program.opts<{ stage?: string; stackName?: string; gateway: string; json: boolean }>();
    const { dependencies, gateway } = await connect(options, process.env);
    const result = await work({
      dependencies,
      gateway,
      actor: `${userInfo().username} (shell)`,
      report: options.json ? () => undefined : print,
      write: out,
      progress: printError,
    });
    if (options.json) print(JSON.stringify(result.json));
    else if (result.text !== undefined) print([result.text()].flat().join('\n\n'));
    if (result.problem === undefined) return;
    printError(result.problem);
    partlyDone = true;
  }

  function statusOf(error: unknown): number {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : invalidArguments;
    if (error instanceof GatewayError) {
      printError(error.message);
      // The message of invalid fields begins with the first of them.
      for (const fault of error.details.map(({ field, message }) => `${field}: ${message}`))
        if (!error.message.startsWith(fault)) printError(`  ${fault}`);
      return error.code === 'invalid_request' ? invalidArguments : failed;
    }
    if (error instanceof ConnectionFailure) printError(error.message);
    else
      printError(
        `The command failed: ${error instanceof Error ? error.message || error.name : String(error)}`,
      );
    return failed;
  }

  function print(line: string): void {
    out(`${line}\n`);
  }

  function printError(line: string): void {
    err(`${line}\n`);
  }
}
