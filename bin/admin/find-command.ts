/** `find …`: searches by whatever the user has: an id, a number as people write it, a reference or a client's name. */
import type { Command } from 'commander';
import { type SearchResults, search, searchQuery } from '../../shared/admin/search.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { CommandResult, Runner } from './command.ts';
import { textTable } from './print.ts';

export function addFindCommand(program: Command, { run }: Runner): void {
  program
    .command('find')
    .description('finds an id, a phone number, a reference, or a client by its name')
    .argument('<anything...>', 'the text to find; quotes are not needed')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- find 07700 900104\n  $ npm run admin -- find order-42\n\nExit status 1: nothing was found, or not all clients were searched.',
    )
    .action(
      run(async ({ dependencies }, words: readonly string[]) => {
        const { q } = parseFields(searchQuery, { q: words.join(' ') });
        return resultOf(await search(dependencies, q), q);
      }),
    );
}

function resultOf(found: SearchResults, wanted: string): CommandResult {
  const { results, more_clients, log_query } = found;
  return {
    json: found,
    text: () =>
      textTable(
        results,
        [
          { title: 'type', of: ({ kind }) => kind.replaceAll('_', ' ') },
          { title: 'id', of: ({ id }) => id },
          { title: 'what', of: ({ title }) => title },
          { title: 'client', of: ({ client_id }) => client_id },
          { title: 'dashboard', of: ({ href }) => `/admin${href}` },
        ],
        `Nothing was found for ${wanted}`,
      ),
    problem: more_clients
      ? 'Not all clients are searched or shown: search for more of a name, or for an id or a number.'
      : log_query === null
        ? results.length === 0
          ? 'Ids of requests are in the logs only: see docs/operate.md.'
          : undefined
        : `It may be the id of a request. CloudWatch Logs Insights, over all log groups of the stack:\n\n${log_query}\n`,
  };
}
