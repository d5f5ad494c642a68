/** `senders …`: shows and edits rows of the senders table, which select the sender of a message. */
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { listSenders } from '../../shared/admin/senders.ts';
import type { AdminCommand } from './command.ts';
import { addOperation } from './operation-command.ts';
import { textTable } from './print.ts';
import { type ListOptions, listResult, withLimit } from './read-pages.ts';

const examples = `
The most specific row wins, a client's before one for every client ('*'), then a country's before one for every country.

Examples:
  $ npm run admin -- senders set --client '*' --country GB --identity ACME
  $ npm run admin -- senders set --client "Web shop" --country US --identity +12065550100 --messages-per-second 3
  $ npm run admin -- senders set --client '*' --country IN --identity ACMEIN --entity-id 1101456789012345678 --template-id 1107161234567890123
  $ npm run admin -- senders set --client "Web shop" --country '*' --channel whatsapp --identity phone-number-id-0123456789
  $ npm run admin -- senders set --client '*' --country GB --carrier twilio --identity +447700900123
  $ npm run admin -- senders remove --client '*' --destination 'sms GB'`;

export function addSenderCommands(program: AdminCommand): void {
  const senders = program.command('senders').description('the senders of messages, by client and country');
  addOperation(senders, 'set', 'setSender', {
    description: 'sets the sender of a client and country; in force within 60 seconds. null removes a value',
    text: (view) => senderTable([view]),
  }).addHelpText('after', examples);
  withLimit(senders.command('list'))
    .description('lists the rows with their feedback, of all clients or of one')
    .option('--client <client>', "its id or name, or '*'")
    .run(async ({ ctx }, { client, ...options }: ListOptions & { readonly client?: string }) =>
      listResult('senders', (page) => listSenders(ctx, { ...page, client_id: client }), options, senderTable),
    );
  addOperation(senders, 'remove', 'removeSender', {
    description: 'removes a row by its destination, as list prints it; the next row in order then applies',
    text: ({ client_id, destination }) => `${client_id} now has no row of its own for ${destination}.`,
  });
}

function senderTable(rows: readonly RowOf<'listSenders', 'senders'>[]): string {
  const table = textTable(
    rows,
    [
      'client_id',
      'destination',
      'identity',
      ['per second', 'messages_per_second'],
      ['inbound', (row) => (row.inbound ? 'yes' : null)],
      'status',
    ],
    'There are no senders: every message is sent from the sender of the stage.',
  );
  const messages = rows.map((row) => `${row.client_id}, ${row.destination}: ${row.status_message}`);
  return [table, ...messages].join('\n\n');
}
