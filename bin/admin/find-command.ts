/** `find …`: searches by an id, a phone number in any spelling, a reference or a client's name. */

import { type SearchResult, search, searchQuery } from '../../shared/admin/find-anything.ts';
import { messageQuery, searchMessages, showMessage } from '../../shared/admin/find-messages.ts';
import type { FoundMessage } from '../../shared/message/message-summary.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand, CommandResult, Session } from './command.ts';
import { messageTable } from './message-table.ts';
import { textTable } from './print.ts';

export function addFindCommand(program: AdminCommand): void {
  program
    .command('find')
    .description('finds an id, a phone number, a reference, or a client by its name')
    .argument('<anything...>', 'the text to find; quotes are not needed')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- find 07700 900104\n  $ npm run admin -- find order-42\n\nExit status 1: nothing was found, or not all clients were searched.',
    )
    .run(async ({ ctx }, words: readonly string[]) => {
      const { q } = parseFields(searchQuery, { q: words.join(' ') });
      const found = await search(ctx, q);
      return resultOf(found, await messagesIn(ctx, found.results), q);
    });
}

/** The maximum number of messages for each number and reference. */
const messagesShown = 5;

/** Returns the newest messages that the search results refer to. */
async function messagesIn(
  ctx: Session['ctx'],
  results: readonly SearchResult[],
): Promise<readonly FoundMessage[]> {
  const found = await Promise.all(
    results.map(async ({ kind, id, client_id }): Promise<readonly FoundMessage[]> => {
      if (kind === 'message') return [(await showMessage(ctx, id)).message];
      if (kind !== 'recipient' && kind !== 'reference') return [];
      const query = kind === 'recipient' ? { recipient: id } : { client_id, reference: id };
      const page = await searchMessages(ctx, parseFields(messageQuery, { ...query, limit: messagesShown }));
      return page.messages;
    }),
  );
  return found.flat().toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
}

function resultOf(
  found: Awaited<ReturnType<typeof search>>,
  messages: readonly FoundMessage[],
  wanted: string,
): CommandResult {
  const { results, more_clients, log_query } = found;
  return {
    json: { ...found, messages },
    text: () => [
      resultTable(results, wanted),
      ...(messages.length === 0 ? [] : [messageTable(messages, '')]),
    ],
    problem: more_clients
      ? 'Not all clients were searched or are shown: enter more of the name, or a number or an id.'
      : log_query === null
        ? results.length === 0
          ? 'Request ids are only in the logs: see docs/operate.md.'
          : undefined
        : `It may be the id of a request. CloudWatch Logs Insights, over all log groups of the stack:\n\n${log_query}\n`,
  };
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
