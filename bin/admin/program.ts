/** The commands of `npm run admin`. Exit status 0: done; 1: failed, or done only in part; 2: invalid arguments. */
import { userInfo } from 'node:os';
import { CommanderError } from 'commander';
import { GatewayError } from '../../shared/contract/errors.ts';
import { printable } from '../../shared/platform/visible-text.ts';
import { addCallCommand } from './call-command.ts';
import { AdminCommand, type CommandResult, type Session } from './command.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addFindCommand } from './find-command.ts';
import { ConnectionFailure, connect, localConnectionFile } from './gateway-connection.ts';
import { addLogCommands } from './log-commands.ts';
import { addRestoreCommand } from './restore-command.ts';
import { addSuppressionCommands } from './suppression-commands.ts';

const failed = 1;
const invalidArguments = 2;

const examples = `
Examples:
  $ npm run admin -- find 07700 900104
  $ npm run admin -- doctor "Web shop"
  $ npm run admin -- logs tail --client "Web shop"
  $ npm run admin -- suppressions import "Web shop" opt-outs.csv
  $ npm run admin -- call createClient --name "Web shop"
  $ npm run admin -- call setLimits "Web shop" --endpoint sms_send --per-minute 300
  $ npm run admin -- call searchMessages --recipient +447700900123 --test
  $ npm run admin -- call --help
  $ npm run admin -- --stage production call listClients --all

Exit status: 0 done, 1 failed or done only in part, 2 invalid arguments.`;

/** The command in the project. npm reads options before the two dashes as its own. */
const inProject = /npm run (?:--silent )?admin --/g;

/** Runs a command line. Returns the exit status. */
export async function runCommand(
  words: readonly string[],
  output: {
    readonly out: (text: string) => void;
    readonly err: (text: string) => void;
    /** The name of the package's command, which replaces `npm run admin --` in help texts. */
    readonly packagedCommand?: string | undefined;
  },
): Promise<number> {
  const { packagedCommand } = output;
  const out = (text: string): void => output.out(printable(text));
  const err = (text: string): void => output.err(printable(text));
  const ofHelp = (text: string): string =>
    packagedCommand === undefined ? text : text.replaceAll(inProject, packagedCommand);
  const program = new AdminCommand(execute)
    .name('npm run admin --')
    .description(
      packagedCommand === undefined
        ? 'Administers a messaging gateway: the one that npm start runs here, or a deployed stage.'
        : 'Administers a messaging gateway that is deployed.',
    )
    .option(
      '--stage <name>',
      'a deployed stage or stack, with the AWS credentials and region of the environment',
    )
    .option(
      '--stack-name <name>',
      'a deployed gateway, by the name of its stack; needed if a stage has several gateways',
    )
    .option('--gateway <file>', 'the connection file of a local gateway', localConnectionFile)
    .option('--test', 'the data of test keys, instead of live data', false)
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
  addLogCommands(program);
  addSuppressionCommands(program);
  addRestoreCommand(program);
  addCallCommand(program);

  let partlyDone = false;
  try {
    await program.parseAsync(words, { from: 'user' });
    return partlyDone ? failed : 0;
  } catch (error) {
    return statusOf(error);
  }

  async function execute(work: (session: Session) => Promise<CommandResult>): Promise<void> {
    const options = program.opts<{
      readonly stage?: string;
      readonly stackName?: string;
      readonly gateway: string;
      readonly test: boolean;
      readonly json: boolean;
    }>();
    const { ctx, gateway } = await connect(options, process.env);
    const mode = options.test ? 'test' : 'live';
    const result = await work({
      ctx: { ...ctx, mode },
      gateway,
      mode,
      actor: `${userInfo().username} (shell)`,
      report: options.json ? () => undefined : print,
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
      // Skips the first invalid field, because the message already contains it.
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
