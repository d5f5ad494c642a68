/** `messages …` and `outbox …`: shows messages, and what the simulated carrier received. */
import type { Command } from 'commander';
import { outboxQuery } from '../../shared/admin/http/admin-requests.ts';
import { showMessage } from '../../shared/admin/messages.ts';
import { listOutbox } from '../../shared/admin/outbox.ts';
import { parseBody } from '../../shared/operation/operation.ts';
import { textFields, textTable } from './print.ts';
import type { Runner } from './runner.ts';

const outboxMax = 1000;

export function addMessageCommands(program: Command, { run }: Runner): void {
  program
    .command('messages')
    .description('messages and what became of them')
    .command('show')
    .description('shows a message with its history and its webhooks')
    .argument('<message-id>')
    .action(
      run(async ({ dependencies }, messageId: string) => {
        const details = await showMessage(dependencies, messageId);
        return {
          json: details,
          text: () => `${textFields(details.message)}\n\n${webhookTable(details.webhooks)}`,
        };
      }),
    );
  program
    .command('outbox')
    .description('what the simulated carrier took, where it is the carrier')
    .command('list')
    .description('lists messages with their bodies, newest first')
    .option('--to <number>', 'only of this recipient')
    .action(
      run(async ({ dependencies }, options: { to?: string }) => {
        const outbox = await listOutbox(dependencies, parseBody(outboxQuery, options).to, outboxMax);
        const text = (): string =>
          textTable(
            outbox.messages,
            [
              { title: 'at', of: (row) => row.at },
              { title: 'channel', of: (row) => row.channel },
              { title: 'from', of: (row) => row.from },
              { title: 'to', of: (row) => row.to },
              { title: 'body', of: (row) => row.body },
            ],
            'The outbox is empty.',
          );
        return { json: outbox, text };
      }),
    );
}

function webhookTable(webhooks: Awaited<ReturnType<typeof showMessage>>['webhooks']): string {
  return textTable(
    webhooks,
    [
      { title: 'webhook', of: (row) => row.delivery_id },
      { title: 'event', of: (row) => row.event },
      { title: 'state', of: (row) => row.state },
      { title: 'attempts', of: (row) => row.attempts },
      { title: 'url', of: (row) => row.url },
    ],
    'It has no webhooks.',
  );
}
