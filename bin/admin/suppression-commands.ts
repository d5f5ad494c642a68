/** `suppressions …`: shows and edits the recipients to whom a client's messages are not sent, one by one or as CSV. */
import { readFile, stat } from 'node:fs/promises';
import { Option } from 'commander';
import {
  allSuppressions,
  deleteSuppression,
  importSuppressions,
  listSuppressions,
  putSuppression,
  readSuppressions,
  suppressionsCsv,
} from '../../shared/admin/suppressions.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import {
  recipientInPath,
  suppressionBody,
  suppressionsQuery,
} from '../../shared/message/suppression/manage-suppressions.ts';
import { scopes } from '../../shared/message/suppression/suppression.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand } from './command.ts';
import { textFields, textTable } from './print.ts';

/** The limit is about a million lines; the whole file is held in memory. */
const fileBytesMax = 64 * 1024 * 1024;

const examples = `
Examples:
  $ npm run admin -- suppressions add "Web shop" +447700900123 --reason "asked by phone"
  $ npm run admin -- suppressions import "Web shop" opt-outs.csv
  $ npm run --silent admin -- suppressions export "Web shop" > opt-outs.csv

A file has the columns recipient, scope (messages or all) and reason; all but recipient may be left out.
Exit status 1: a line of the file is not valid; all others are imported.`;

interface AddOptions {
  readonly scope: string;
  readonly reason?: string;
}

export function addSuppressionCommands(program: AdminCommand): void {
  const suppressions = program
    .command('suppressions')
    .description('recipients to whom the messages of a client are not sent')
    .addHelpText('after', examples);
  suppressions
    .command('list')
    .description('lists suppressions by number')
    .argument('<client>', 'id or name')
    .option('--recipient <number>', 'only this recipient')
    .option('--limit <number>', 'the number of rows, 1 to 100', '100')
    .option('--cursor <cursor>', 'the next_cursor of the previous list')
    .run(async ({ dependencies }, client: string, options: Record<string, string>) => {
      const query = parseFields(suppressionsQuery, options);
      const found = await listSuppressions(dependencies, client, query);
      const more = found.next_cursor;
      return {
        json: found,
        text: () => [
          textTable(
            found.suppressions,
            ['recipient', 'scope', 'source', ['since', 'created_at'], 'reason'],
            'Nobody is suppressed.',
          ),
          ...(more === undefined ? [] : [`There may be more: add --cursor ${more}, or use export.`]),
        ],
      };
    });
  suppressions
    .command('add')
    .description('suppresses a recipient, or changes the scope and the reason')
    .argument('<client>', 'id or name')
    .argument('<recipient>', 'such as +447700900123')
    .addOption(
      new Option('--scope <scope>', 'messages: one-time passwords are still sent')
        .choices(scopes)
        .default('messages'),
    )
    .option('--reason <text>', 'a text for people')
    .run(
      async ({ dependencies, actor }, client: string, recipient: string, { scope, reason }: AddOptions) => {
        const wanted = parseFields(suppressionBody, { scope, reason });
        const view = await putSuppression(dependencies, actor, {
          client,
          recipient: recipientInPath(recipient),
          ...wanted,
        });
        return { json: view, text: () => textFields(view) };
      },
    );
  suppressions
    .command('remove')
    .description('ends a suppression, so that messages are sent to the recipient again')
    .argument('<client>', 'id or name')
    .argument('<recipient>')
    .run(async ({ dependencies, actor }, client: string, recipient: string) => {
      const removed = await deleteSuppression(dependencies, actor, {
        client,
        recipient: recipientInPath(recipient),
      });
      return { json: removed, text: () => `${removed.recipient} is sent to again.` };
    });
  suppressions
    .command('import')
    .description('suppresses the recipients of a CSV file; a repeat changes nothing')
    .argument('<client>', 'id or name')
    .argument('<file>')
    .run(async ({ dependencies, actor, report }, client: string, file: string) => {
      const { lines, faults } = readSuppressions(await textOf(file));
      const imported = await importSuppressions(dependencies, actor, { client, lines, report });
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
  suppressions
    .command('export')
    .description('prints all suppressions as CSV (RFC 4180)')
    .argument('<client>', 'id or name')
    .run(async ({ dependencies }, client: string) => {
      const found = await allSuppressions(dependencies, client);
      return { json: { suppressions: found }, text: () => suppressionsCsv(found) };
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
