/** `messages …`: lists the newest messages, and shows one with its webhooks. */

import { type MessageQuery, messageQuery, searchMessages } from '../../shared/admin/find-messages.ts';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { clientIdIn } from '../../shared/contract/mode.ts';
import { unassignedClientId } from '../../shared/message/find-owner.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import { type AdminCommand, type CommandResult, clientOf, type Session, searchedData } from './command.ts';
import { messageTable } from './message-table.ts';
import { addFieldOptions, addOperation, fieldsIn, fieldsOf, without } from './operation-command.ts';
import { type Column, textFields, textTable } from './print.ts';
import { type ListOptions, moreText, readPages, withLimit } from './read-pages.ts';

const shownByDefault = 50;

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
  const list = withLimit(messages.command('list'), String(shownByDefault));
  addFieldOptions(list, fields);
  list
    .description(
      'lists messages, the newest first; only those of the last day if neither --client nor --recipient is given',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- messages list --recipient +447700900123\n  $ npm run admin -- messages list --client "Web shop" --status failed --since 2h\n  $ npm run --silent admin -- call searchMessages --client "Web shop" --since 2026-11-01 --all --csv > messages.csv',
    )
    .run(async (session, options: ListOptions & { client?: string }) => {
      const query = parseFields(messageQuery, {
        ...fieldsIn(options, fields, session.ctx.clock()),
        ...(options.client === undefined ? {} : { client_id: await ownerOf(session, options.client) }),
      });
      return listAsTable(session, query, options);
    });
  addOperation(messages, 'show', 'showMessage', {
    description: 'shows a message with its history and its webhooks',
    text: (details) => [
      textFields(details.message),
      ...(details.legs.length === 0 ? [] : [textTable(details.legs, legColumns, '')]),
      textTable(
        details.webhooks,
        [['webhook', 'delivery_id'], 'event', 'state', 'attempts', 'url'],
        'It has no webhooks.',
      ),
    ],
  });
}

/**
 * Returns the client id under which the messages are stored. Inbound messages that belong to no client are stored under a
 * reserved id.
 */
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
  return {
    json: { mode: session.mode, messages: rows, more },
    text: () => [
      messageTable(rows, 'No message was found.'),
      ...moreText(listed),
      searchedData(session, query.client_id),
    ],
    problem: leftOut === 0 ? undefined : `${leftOut} more clients have such messages: name a --client.`,
  };
}
