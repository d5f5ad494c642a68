/**
 * `messages …`, `batches …`, `outbox …` and `inbound …`: shows and exports messages and how far a bulk request is, shows the outbox of the simulated carrier, and
 * sends it messages of people.
 */
import { Option } from 'commander';
import { showBatch } from '../../shared/admin/batches.ts';
import { cancelScheduledMessage, type MessageLeg, showMessage } from '../../shared/admin/messages.ts';
import { inboundBody, listOutbox, outboxQuery, sendInbound } from '../../shared/admin/simulator.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand } from './command.ts';
import { forCustomer } from './customer-sentence.ts';
import { addMessageList } from './message-list-command.ts';
import { type ListOptions, listResult, withLimit } from './pages.ts';
import { type Column, textFields, textTable } from './print.ts';

interface OutboxOptions extends ListOptions {
  readonly to?: string;
  readonly test?: string;
}

interface InboundOptions {
  readonly test: boolean;
  readonly [option: string]: unknown;
}

const legColumns: readonly Column<MessageLeg>[] = [
  'leg',
  ['message', (row) => row.message_id ?? 'not started'],
  'channel',
  'status',
  'after_seconds',
];

export function addMessageCommands(program: AdminCommand): void {
  const messages = program.command('messages').description('messages with their status');
  addMessageList(messages, program);
  messages
    .command('cancel <message-id>')
    .description('cancels a scheduled message before its time')
    .run(async ({ dependencies, actor }, messageId: string) => {
      const canceled = await cancelScheduledMessage(dependencies, actor, messageId);
      return { json: canceled, text: () => `${messageId} is canceled.` };
    });
  messages
    .command('show <message-id>')
    .description('shows a message with its history and its webhooks')
    .run(async ({ dependencies }, messageId: string) => {
      const details = await showMessage(dependencies, messageId);
      return {
        json: details,
        text: () => [
          textFields(details.message),
          ...forCustomer([details.message]),
          ...(details.legs.length === 0 ? [] : [textTable(details.legs, legColumns, '')]),
          textTable(
            details.webhooks,
            [['webhook', 'delivery_id'], 'event', 'state', 'attempts', 'url'],
            'It has no webhooks.',
          ),
        ],
      };
    });
  program
    .command('batches')
    .description('bulk requests')
    .command('show <batch-id>')
    .description('shows how far a bulk request is, and why messages were refused or failed')
    .run(async ({ dependencies }, batchId: string) => {
      const details = await showBatch(dependencies, batchId);
      const { counts, failures, refusals, ...batch } = details;
      const codes = [
        ...failures.map((one) => ({ what: 'failed', ...one })),
        ...refusals.map((one) => ({ what: 'refused', ...one })),
      ];
      return {
        json: details,
        text: () => [
          textFields({ ...batch, ...counts }),
          textTable(
            codes,
            ['what', 'code', 'messages', 'meaning'],
            'No message failed, and no recipient was refused.',
          ),
        ],
      };
    });
  const outbox = program.command('outbox').description('the messages that the simulated carrier accepted');
  withLimit(outbox.command('list'))
    .description('lists messages with their bodies, newest first')
    .option('--to <number>', 'only of this recipient')
    .option('--test <client>', "the messages of this client's test keys (id or name), on every stage")
    .run(async ({ dependencies }, { to, test, ...options }: OutboxOptions) =>
      listResult(
        'messages',
        async (page) => listOutbox(dependencies, parseFields(outboxQuery, { to, client_id: test, ...page })),
        options,
        (rows) => textTable(rows, ['at', 'channel', 'from', 'to', 'body'], 'The outbox is empty.'),
      ),
    );
  program
    .command('inbound')
    .description('messages of people to the simulated carrier')
    .command('send')
    .description('sends a message to the gateway as a person would')
    .requiredOption('--from <number>', 'the person')
    .option('--to <number>', 'the number of the gateway; by default that of the simulator')
    .requiredOption('--text <text>', 'such as STOP')
    .addOption(new Option('--channel <channel>').choices(['sms', 'whatsapp']).default('sms'))
    .option('--test', 'to the test data of the client that last sent to the person, on every stage', false)
    .run(async ({ dependencies }, { test, ...options }: InboundOptions) => {
      const fields = { ...options, mode: test ? 'test' : 'live' };
      const sent = await sendInbound(dependencies, parseFields(inboundBody, fields));
      return {
        json: sent,
        text: () => `Sent. It will be stored in a moment; see: messages show ${sent.message_id}`,
      };
    });
}
