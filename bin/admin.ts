/** npm run admin: administers a gateway. */
import { runCommand } from './admin/program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, may end first.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
});

/** Set by the build of the package, whose users have no `npm run admin`. */
declare const packagedCommand: string | undefined;

process.exitCode = await runCommand(process.argv.slice(2), {
  packagedCommand: typeof packagedCommand === 'undefined' ? undefined : packagedCommand,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
