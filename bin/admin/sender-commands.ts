/** `senders …`: shows and edits rows of the senders table, which select the sender of a message. */
import { clientIdOrAll, rowOwnerOf } from '../../shared/admin/find-client.ts';
import {
  listSenders,
  removeSender,
  type SenderView,
  senderBody,
  senderKeyBody,
  setSender,
} from '../../shared/admin/senders.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import { destinationOf } from '../../shared/sender/sender-row.ts';
import type { AdminCommand } from './command.ts';
import { booleanOption, repeatedOption } from './options.ts';
import { type ListOptions, listResult, withLimit } from './pages.ts';
import { textTable } from './print.ts';

const examples = `
The most specific row wins, a client's before one for every client ('*'), then a country's before one for every country.

Examples:
  $ npm run admin -- senders set --client '*' --country GB --identity ACME
  $ npm run admin -- senders set --client "Web shop" --country US --identity +12065550100 --messages-per-second 3
  $ npm run admin -- senders set --client '*' --country IN --identity ACMEIN --entity-id 1101456789012345678 --template-id 1107161234567890123
  $ npm run admin -- senders set --client "Web shop" --country '*' --channel whatsapp --identity phone-number-id-0123456789
  $ npm run admin -- senders set --client '*' --country GB --carrier twilio --identity +447700900123`;

interface KeyOptions {
  readonly client: string;
  readonly country: string;
  readonly channel: string;
  readonly carrier?: string;
}

interface SetOptions extends KeyOptions {
  readonly identity?: string;
  readonly messagesPerSecond?: string;
  readonly entityId?: string;
  readonly templateId?: string;
  readonly inbound?: boolean;
  readonly note?: string;
  readonly remove?: readonly string[];
}

export function addSenderCommands(program: AdminCommand): void {
  const senders = program.command('senders').description('the senders of messages, by client and country');
  withKey(senders.command('set'))
    .description('sets the sender of a client and country; in force within 60 seconds')
    .option(
      '--identity <name>',
      'phone number, short code, sender ID or pool; for WhatsApp, the phone number id',
    )
    .option('--messages-per-second <number>', 'the maximum that it may send, in segments, or "none"')
    .option('--entity-id <id>', 'India: the registered entity, or "none"')
    .option('--template-id <id>', 'India: the registered template, or "none"')
    .option('--inbound [true|false]', 'whether messages to this number belong to the client', booleanOption)
    .option('--note <text>', 'a text for people; an empty one removes it')
    .option(
      '--remove <attribute>',
      'remove a misspelled attribute from the row; can be repeated',
      repeatedOption,
    )
    .addHelpText('after', examples)
    .run(async ({ dependencies, actor }, options: SetOptions) => {
      const { inbound, note, remove } = options;
      const clientId = await clientIdOrAll(dependencies, options.client);
      const body = parseFields(senderBody, {
        ...keyOf(options, clientId),
        identity: options.identity,
        messages_per_second: numberOf(options.messagesPerSecond),
        entity_id: textOf(options.entityId),
        template_id: textOf(options.templateId),
        inbound: inbound === false ? null : inbound,
        note: note === '' ? null : note,
        remove,
      });
      const view = await setSender(dependencies, actor, body);
      return { json: view, text: () => senderTable([view]) };
    });
  withLimit(senders.command('list'))
    .description('lists the rows with their feedback, of all clients or of one')
    .option('--client <client>', "its id or name, or '*'")
    .run(async ({ dependencies }, { client, ...options }: ListOptions & { readonly client?: string }) =>
      listResult(
        'senders',
        (page) => listSenders(dependencies, { ...page, client_id: client }),
        options,
        senderTable,
      ),
    );
  withKey(senders.command('remove'))
    .description('removes a row; the next one in order is then used')
    .run(async ({ dependencies, actor }, options: KeyOptions) => {
      const clientId = await rowOwnerOf(dependencies, dependencies.senders, options.client);
      const { client_id, ...key } = parseFields(senderKeyBody, keyOf(options, clientId));
      const destination = destinationOf(key);
      await removeSender(dependencies, actor, { client_id, destination });
      const json = { client_id, destination, removed: true };
      return { json, text: () => `${client_id} has no row of its own for ${destination} any more.` };
    });
}

function withKey(command: AdminCommand): AdminCommand {
  return command
    .requiredOption('--client <client>', "its id or name, or '*' for every client without a row of its own")
    .requiredOption('--country <code>', "ISO 3166 alpha-2, or '*' for every country without a row of its own")
    .option('--channel <channel>', 'sms or whatsapp', 'sms')
    .option('--carrier <name>', 'the carrier that has the sender, by default the first of the channel');
}

function keyOf({ country, channel, carrier }: KeyOptions, clientId: string) {
  return { client_id: clientId, country, channel, carrier };
}

function senderTable(rows: readonly SenderView[]): string {
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

/** "none" removes a value. */
function textOf(option: string | undefined): string | null | undefined {
  return option === 'none' ? null : option;
}

function numberOf(option: string | undefined): number | null | undefined {
  const text = textOf(option);
  return typeof text === 'string' ? Number(text) : text;
}
