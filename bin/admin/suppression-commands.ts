/** `suppressions import`: suppresses the recipients of a CSV file. `call` runs the operations on a single suppression. */
import { readFile, stat } from 'node:fs/promises';
import { importSuppressions, readSuppressions } from '../../shared/admin/client-suppressions.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { type AdminCommand, clientOf } from './command.ts';

/** About a million lines. The whole file is read into memory. */
const fileBytesMax = 64 * 1024 * 1024;

const examples = `
Examples:
  $ npm run admin -- suppressions import "Web shop" opt-outs.csv
  $ npm run admin -- call putSuppression "Web shop" +447700900123 --reason "asked by phone"
  $ npm run --silent admin -- call listSuppressions "Web shop" --all --csv > opt-outs.csv

A file has the columns recipient, scope (messages or all) and reason; all but recipient may be left out.
Exit status 1: a line of the file is not valid; all others are imported.`;

export function addSuppressionCommands(program: AdminCommand): void {
  const suppressions = program
    .command('suppressions')
    .description('recipients to whom the messages of a client are not sent')
    .addHelpText('after', examples);
  suppressions
    .command('import')
    .description('suppresses the recipients of a CSV file; a repeat changes nothing')
    .argument('<client>', 'id or name')
    .argument('<file>')
    .run(async (session, named: string, file: string) => {
      const { ctx, actor, report } = session;
      const client = await clientOf(session, named);
      const { lines, faults } = readSuppressions(await textOf(file));
      const imported = await importSuppressions(ctx, actor, { client, lines, report });
      const problem =
        faults.length === 0
          ? undefined
          : [
              ...faults.map(({ line, message }) => `${file}, line ${line}: ${message}`),
              `${new Set(faults.map(({ line }) => line)).size} lines are not valid and were left out.`,
            ].join('\n');
      return {
        json: { ...imported, faults },
        text: () => `${imported.suppressed} of ${lines.length} recipients were not suppressed before.`,
        problem,
      };
    });
}

async function textOf(file: string): Promise<string> {
  const { size } = await stat(file).catch((cause: unknown) => {
    throw new GatewayError('invalid_request', `${file} cannot be read: ${(cause as Error).message}`);
  });
  if (size > fileBytesMax) {
    throw new GatewayError('invalid_request', `${file} is larger than 64 MB: split it.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch {
    throw new GatewayError('invalid_request', `${file} is not UTF-8 text: save it as CSV UTF-8.`);
  }
}
