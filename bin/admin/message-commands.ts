/** `messages …`: lists the newest messages as a table, exports all of them as CSV, and shows one with its webhooks. */

import type { AdminContext } from '../../shared/admin/admin-context.ts';
import { readClientNames, readClients } from '../../shared/admin/find-client.ts';
import { type MessageQuery, messageQuery, searchMessages } from '../../shared/admin/find-messages.ts';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { clientIdIn } from '../../shared/contract/mode.ts';
import { unassignedClientId } from '../../shared/message/find-owner.ts';
import { type FoundMessage, messageCsvColumns } from '../../shared/message/message-summary.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import { addDays } from '../../shared/platform/clock.ts';
import { csvLine } from '../../shared/platform/csv.ts';
import { type AdminCommand, type CommandResult, clientOf, type Session, searchedData } from './command.ts';
import { forCustomer } from './customer-sentence.ts';
import { messageTable } from './message-table.ts';
import { addFieldOptions, addOperation, fieldsIn, fieldsOf, without } from './operation-command.ts';
import { type Column, textFields, textTable } from './print.ts';
import { type ListOptions, moreText, readPages, withLimit } from './read-pages.ts';

const shownByDefault = 50;
/** Prints a line about the progress after this many messages. */
const progressEvery = 1000;
const pageSize = 100;

const fields = without(fieldsOf('searchMessages'), ['limit', 'cursor']);

const legColumns: readonly Column<RowOf<'showMessage', 'legs'>>[] = [
  'leg',
  ['message', (row) => row.message_id ?? 'not started'],
  'channel',
  'status',
  'after_seconds',
];

export function addMessageCommands(program: AdminCommand): void {
  const messages = program.command('messages').description('messages with their status');
  const list = withLimit(messages.command('list'), `${shownByDefault}, with --csv all`);
  addFieldOptions(list, fields);
  list
    .description(
      'lists messages, the newest first; only those of the last day if neither --client nor --recipient is given',
    )
    .option('--csv', 'print all of them as CSV (RFC 4180), with the progress on standard error', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- messages list --recipient +447700900123\n  $ npm run admin -- messages list --client "Web shop" --status failed --since 2h\n  $ npm run --silent admin -- messages list --client "Web shop" --since 2026-11-01 --csv > messages.csv',
    )
    .run(async (session, options: ListOptions & { csv: boolean; client?: string }) => {
      if (options.csv && program.opts<{ json: boolean }>().json)
        throw new GatewayError('invalid_request', 'Give --json or --csv, not both.');
      const query = parseFields(messageQuery, {
        ...fieldsIn(options, fields, session.ctx.clock()),
        ...(options.client === undefined ? {} : { client_id: await ownerOf(session, options.client) }),
      });
      return options.csv ? exportAsCsv(session, query, options) : listAsTable(session, query, options);
    });
  addOperation(messages, 'show', 'showMessage', {
    description: 'shows a message with its history and its webhooks',
    text: (details) => [
      textFields(details.message),
      ...forCustomer([details.message]),
      ...(details.legs.length === 0 ? [] : [textTable(details.legs, legColumns, '')]),
      textTable(
        details.webhooks,
        [['webhook', 'delivery_id'], 'event', 'state', 'attempts', 'url'],
        'It has no webhooks.',
      ),
    ],
  });
}

/** Returns the owner of the messages. Messages from recipients that belong to no client have an owner, too. */
async function ownerOf(session: Session, client: string): Promise<string> {
  return client === unassignedClientId ? clientIdIn(session.mode, client) : clientOf(session, client);
}

async function listAsTable(
  session: Session,
  query: MessageQuery,
  { limit = shownByDefault }: ListOptions,
): Promise<CommandResult> {
  let leftOut = 0;
  const read = async (page: { readonly limit: number; readonly cursor: string | undefined }) => {
    const found = await searchMessages(session.ctx, { ...query, ...page });
    leftOut = found.clients_left_out ?? 0;
    return found;
  };
  const listed = await readPages('messages', read, { limit });
  const { rows, more } = listed;
  const ofSeveral = query.recipient === undefined && query.reference === undefined;
  return {
    json: { mode: session.mode, messages: rows, more },
    text: () => [
      messageTable(rows, 'No message was found.'),
      ...(ofSeveral ? [] : forCustomer(rows)),
      ...moreText(listed),
      searchedData(session, query.client_id),
    ],
    problem:
      leftOut === 0
        ? undefined
        : `${leftOut} more clients have such messages: name a --client, or use --csv, which reads all of them.`,
  };
}

async function exportAsCsv(
  { ctx, write, progress }: Session,
  query: MessageQuery,
  { limit = Number.POSITIVE_INFINITY }: ListOptions,
): Promise<CommandResult> {
  const columns = messageCsvColumns(await readClientNames(ctx));
  const cells = Object.values(columns);
  write(`${csvLine(Object.keys(columns))}\n`);
  let written = 0;
  for await (const messages of exportMessages(ctx, query)) {
    const before = written;
    const some = messages.slice(0, limit - written);
    write(some.map((message) => `${csvLine(cells.map((cellOf) => cellOf(message)))}\n`).join(''));
    written += some.length;
    if (Math.floor(written / progressEvery) > Math.floor(before / progressEvery))
      progress(`${written} messages`);
    if (written >= limit) break;
  }
  progress(`${written} messages.`);
  return { json: { messages: written } };
}

/**
 * Yields all messages that a search finds, page by page. If no client or recipient is given, it searches one client after the
 * other, because a search of all clients covers only the busiest. It ignores messages that are accepted meanwhile, so that it
 * ends.
 */
async function* exportMessages(
  ctx: AdminContext,
  query: MessageQuery,
): AsyncGenerator<readonly FoundMessage[]> {
  const { until = ctx.clock().toISOString() } = query;
  for (const search of await searchesOf(ctx, { ...query, until })) {
    let cursor: string | undefined;
    do {
      const page = await searchMessages(ctx, { ...search, limit: pageSize, cursor });
      cursor = page.next_cursor;
      yield page.messages;
    } while (cursor !== undefined);
  }
}

async function searchesOf(
  ctx: AdminContext,
  query: MessageQuery & { readonly until: string },
): Promise<readonly MessageQuery[]> {
  if (query.client_id !== undefined || query.recipient !== undefined) return [query];
  const { clients } = await readClients(ctx);
  // The default of a search of all clients.
  const { since = addDays(new Date(query.until), -1).toISOString() } = query;
  return [...clients.map((client) => client.client_id), unassignedClientId].map((id) => ({
    ...query,
    since,
    client_id: clientIdIn(ctx.mode, id),
  }));
}
