/** npm run admin: administers a gateway. */
import { runCommand } from './admin/program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A program that reads this output, such as `head`, may exit first.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
});

/** The build of the package sets the command's name, because the package has no `npm run admin`. */
declare const packagedCommand: string | undefined;

process.exitCode = await runCommand(process.argv.slice(2), {
  packagedCommand: typeof packagedCommand === 'undefined' ? undefined : packagedCommand,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
