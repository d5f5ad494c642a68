/** `find …`: searches by an id, a phone number in any spelling, or a client's name. */

import { type SearchResult, search, searchQuery } from '../../shared/admin/find-anything.ts';
import { messageQuery, searchMessages } from '../../shared/admin/find-messages.ts';
import type { FoundMessage } from '../../shared/message/message-summary.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand, Session } from './command.ts';
import { textTable } from './print.ts';

export function addFindCommand(program: AdminCommand): void {
  program
    .command('find')
    .description('finds an id, a phone number with its latest messages, or a client by its name')
    .argument('<anything...>', 'the text to find; quotes are not needed')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- find 07700 900104\n  $ npm run admin -- find web shop\n\nExit status 1: nothing was found, or not all clients were searched.',
    )
    .run(async ({ ctx }, words: readonly string[]) => {
      const { q } = parseFields(searchQuery, { q: words.join(' ') });
      const found = await search(ctx, q);
      const messages = await latestMessages(ctx, found.results);
      return {
        json: { ...found, messages },
        text: () => [
          resultTable(found.results, q),
          ...(messages.length === 0 ? [] : [messageTable(messages)]),
        ],
        problem: problemOf(found),
      };
    });
}

function problemOf({ results, more_clients }: Awaited<ReturnType<typeof search>>): string | undefined {
  if (more_clients)
    return 'Not all clients were searched or are shown: enter more of the name, or a number or an id.';
  return results.length === 0 ? 'Request ids are only in the logs: see docs/operate.md.' : undefined;
}

/** The maximum number of messages for each number. */
const messagesShown = 5;

async function latestMessages(
  ctx: Session['ctx'],
  results: readonly SearchResult[],
): Promise<readonly FoundMessage[]> {
  const numbers = results.filter(({ kind }) => kind === 'recipient');
  const pages = await Promise.all(
    numbers.map(({ id }) =>
      searchMessages(ctx, parseFields(messageQuery, { recipient: id, limit: messagesShown })),
    ),
  );
  return pages.flatMap(({ messages }) => messages);
}

function resultTable(results: readonly SearchResult[], wanted: string): string {
  return textTable(
    results,
    [
      ['type', ({ kind }) => kind.replaceAll('_', ' ')],
      'id',
      ['what', 'title'],
      ['client', 'client_id'],
      ['dashboard', ({ href }) => `/admin${href}`],
    ],
    `Nothing was found for ${wanted}`,
  );
}

function messageTable(messages: readonly FoundMessage[]): string {
  return textTable(
    messages,
    [
      ['created', 'created_at'],
      'channel',
      ['from', (row) => (row.direction === 'inbound' ? row.from : null)],
      ['to', 'recipient'],
      'status',
      ['error', (row) => row.error?.code],
      ['client', (row) => row.client_id ?? 'none'],
      'reference',
      ['message', 'message_id'],
    ],
    '',
  );
}
