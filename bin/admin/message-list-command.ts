/** `messages list`: finds messages, as a table of the newest, or all of them as CSV. */
import { Option } from 'commander';
import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';
import { messageCsvColumns } from '../../shared/admin/csv-columns.ts';
import { clientIdOf, readClientNames, readClients } from '../../shared/admin/find-client.ts';
import {
  type FoundMessage,
  type MessageQuery,
  messageQuery,
  searchMessages,
} from '../../shared/admin/messages.ts';
import { search } from '../../shared/admin/search.ts';
import { channels } from '../../shared/contract/channels.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { clientIdIn } from '../../shared/contract/mode.ts';
import { recipientsAsWritten } from '../../shared/contract/phone-number.ts';
import { unassignedClientId } from '../../shared/message/find-owner.ts';
import { statuses } from '../../shared/message/message.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import { addDays } from '../../shared/platform/clock.ts';
import { csvLine } from '../../shared/platform/csv.ts';
import type { AdminCommand, CommandResult, Session } from './command.ts';
import { forCustomer } from './customer-sentence.ts';
import { messageTable } from './message-table.ts';
import { timeForms, timeTextOf } from './options.ts';
import { type ListOptions, moreText, readPages, withLimit } from './pages.ts';

interface MessageListOptions extends ListOptions {
  readonly to?: string;
  readonly client?: string;
  readonly reference?: string;
  readonly status?: string;
  readonly channel?: string;
  readonly error?: string;
  readonly since?: string;
  readonly until?: string;
  readonly csv: boolean;
}

const shownByDefault = 50;
/** A line about the progress for each so many messages. */
const progressEvery = 1000;

export function addMessageList(messages: AdminCommand, program: AdminCommand): void {
  withLimit(messages.command('list'), `${shownByDefault}, with --csv all`)
    .description('lists messages, the newest first; without --client or --to those of the last day')
    .option('--to <number>', 'only to or from this number, as find takes it')
    .option('--client <client>', 'only of this client (id or name)')
    .option('--reference <reference>', 'only with this reference, which the client gave')
    .addOption(new Option('--status <status>', 'only in this state').choices(statuses))
    .addOption(new Option('--channel <channel>', 'only of this channel').choices(channels))
    .option('--error <code>', 'only with this error code, such as unreachable')
    .option('--since <time>', `only from this time on, ${timeForms}`)
    .option('--until <time>', 'only until this time')
    .option('--csv', 'print all of them as CSV (RFC 4180), with the progress on standard error', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- messages list --to +447700900123\n  $ npm run admin -- messages list --client "Web shop" --status failed --since 2h\n  $ npm run --silent admin -- messages list --client "Web shop" --since 2026-11-01 --csv > messages.csv',
    )
    .run(async (session, options: MessageListOptions) => {
      if (options.csv && program.opts<{ json: boolean }>().json)
        throw new GatewayError('invalid_request', 'Give --json or --csv, not both.');
      const query = await queryOf(session, options);
      return options.csv ? exportAsCsv(session, query, options) : listAsTable(session, query, options);
    });
}

async function queryOf(
  { dependencies }: Session,
  { to, client, reference, status, channel, error, since, until }: MessageListOptions,
): Promise<MessageQuery> {
  const now = dependencies.clock();
  return parseFields(messageQuery, {
    recipient: to && (await numberWritten(dependencies, to)),
    client_id: client ?? (reference === undefined ? undefined : await clientWith(dependencies, reference)),
    reference,
    status,
    channel,
    error_code: error,
    since: timeTextOf('since', since, now),
    until: timeTextOf('until', until, now),
  });
}

/** The number that `find` finds by this text: of several that it may mean, the one with messages. */
async function numberWritten(
  { newestMessages, country }: Session['dependencies'],
  text: string,
): Promise<string> {
  const numbers = recipientsAsWritten(text, country);
  for (const number of numbers) if ((await newestMessages.to(number, 1)).length > 0) return number;
  return numbers[0] ?? text;
}

/** The client with messages of this reference; references of several clients can be the same. */
async function clientWith(dependencies: Session['dependencies'], reference: string): Promise<string> {
  const { results, more_clients } = await search(dependencies, reference);
  const ids = results.flatMap(({ kind, client_id }) =>
    kind === 'reference' && client_id ? [client_id] : [],
  );
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0 && !more_clients) return only;
  const reason =
    only === undefined
      ? `No message with the reference ${reference} was found.`
      : `Several clients can have messages with the reference ${reference}: ${ids.join(', ')}.`;
  throw new GatewayError(
    only === undefined ? 'not_found' : 'invalid_request',
    `${reason} Name the --client.`,
  );
}

async function listAsTable(
  { dependencies }: Session,
  query: MessageQuery,
  { limit = shownByDefault }: MessageListOptions,
): Promise<CommandResult> {
  let leftOut = 0;
  const read = async (page: Pick<MessageQuery, 'limit' | 'cursor'>) => {
    const found = await searchMessages(dependencies, { ...query, ...page });
    leftOut = found.clients_left_out ?? 0;
    return found;
  };
  const listed = await readPages('messages', read, { limit });
  const { rows, more } = listed;
  const ofSeveral = query.recipient === undefined && query.reference === undefined;
  return {
    json: { messages: rows, more },
    text: () => [
      messageTable(rows, 'No message was found.'),
      ...(ofSeveral ? [] : forCustomer(rows)),
      ...moreText(listed),
    ],
    problem:
      leftOut === 0
        ? undefined
        : `${leftOut} more clients have such messages: name a --client, or use --csv, which reads all of them.`,
  };
}

async function exportAsCsv(
  { dependencies, write, progress }: Session,
  query: MessageQuery,
  { limit = Number.POSITIVE_INFINITY }: MessageListOptions,
): Promise<CommandResult> {
  const columns = messageCsvColumns(await readClientNames(dependencies));
  const cells = Object.values(columns);
  write(`${csvLine(Object.keys(columns))}\n`);
  let written = 0;
  for await (const { messages, ...done } of exportMessages(dependencies, query)) {
    const before = written;
    const some = messages.slice(0, limit - written);
    write(some.map((message) => `${csvLine(cells.map((cellOf) => cellOf(message)))}\n`).join(''));
    written += some.length;
    if (Math.floor(written / progressEvery) > Math.floor(before / progressEvery))
      progress(progressText(written, done));
    if (written >= limit) break;
  }
  progress(`${written} messages.`);
  return { json: { messages: written } };
}

function progressText(written: number, { clientsDone, clients }: Omit<ExportedPage, 'messages'>): string {
  return clients === 1
    ? `${written} messages`
    : `${written} messages, ${clientsDone} of ${clients} clients complete`;
}

type Search = Omit<MessageQuery, 'limit' | 'cursor'>;

interface ExportedPage {
  readonly messages: readonly FoundMessage[];
  /** The clients whose messages are already complete, and all that are to be exported. */
  readonly clientsDone: number;
  readonly clients: number;
}

const pageSize = 100;

/**
 * All messages that a search finds, page by page, for a file that must be complete.
 *
 * Without a client or a recipient: the messages of one client after the other, because a search of all covers only the
 * clients with the most messages. Messages that are accepted meanwhile are left out, so that the export ends.
 */
async function* exportMessages(dependencies: AdminDependencies, query: Search): AsyncGenerator<ExportedPage> {
  const { until = dependencies.clock().toISOString() } = query;
  const searches = await searchesOf(dependencies, { ...query, until });
  for (const [clientsDone, search] of searches.entries()) {
    let cursor: string | undefined;
    do {
      const page = await searchMessages(dependencies, { ...search, limit: pageSize, cursor });
      cursor = page.next_cursor;
      yield {
        messages: page.messages,
        clientsDone: cursor === undefined ? clientsDone + 1 : clientsDone,
        clients: searches.length,
      };
    } while (cursor !== undefined);
  }
}

async function searchesOf(
  dependencies: AdminDependencies,
  query: Search & { readonly until: string },
): Promise<readonly Search[]> {
  const { client_id, recipient, until } = query;
  if (client_id !== undefined) return [{ ...query, client_id: await clientIdOf(dependencies, client_id) }];
  if (recipient !== undefined) return [query];
  const { clients } = await readClients(dependencies);
  const ids = [...clients.map((client) => client.client_id), unassignedClientId].map((id) =>
    clientIdIn(dependencies.mode, id),
  );
  // The same time as that of a search of all clients.
  const { since = addDays(new Date(until), -1).toISOString() } = query;
  return ids.map((id) => ({ ...query, since, client_id: id }));
}
