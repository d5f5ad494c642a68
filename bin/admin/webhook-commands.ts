/** `webhooks …`: which failed and why, and sending them again. */
import type { Command } from 'commander';
import {
  type DeliverySummary,
  failedWebhooks,
  type ResendResult,
  resendWebhooks,
  showDelivery,
} from '../../shared/admin/webhooks.ts';
import { GatewayError } from '../../shared/errors.ts';
import { textFields, textTable } from './print.ts';
import type { CommandAnswer, Runner } from './runner.ts';

const failedMax = 1000;

const outcomes = {
  resent: 'is sent again',
  already_waiting: 'is already waiting for its next attempt',
  acknowledged_meanwhile: 'has been acknowledged',
  not_found: 'is not known',
} as const satisfies Record<ResendResult['outcome'], string>;

export function addWebhookCommands(program: Command, { run }: Runner): void {
  const webhooks = program.command('webhooks').description('webhooks that failed, and sending them again');
  webhooks
    .command('failed')
    .description('lists webhooks that failed for good, the latest first')
    .option('--client <client-id>', 'of this client alone')
    .action(
      run(async ({ ports }, options: { client?: string }) => {
        const failed = await failedWebhooks(ports, { clientId: options.client, limit: failedMax });
        return { json: { webhooks: failed }, text: () => deliveryTable(failed) };
      }),
    );
  webhooks
    .command('show')
    .description('shows a webhook with its body and every attempt')
    .argument('<delivery-id>')
    .action(
      run(async ({ ports }, deliveryId: string) => {
        const view = await showDelivery(ports, deliveryId);
        const { attempt_log, ...fields } = view;
        const attempts = textTable(
          attempt_log,
          [
            { title: 'attempt', of: (attempt) => attempt.number },
            { title: 'started', of: (attempt) => attempt.started_at },
            { title: 'ms', of: (attempt) => Math.round(attempt.total_ms) },
            { title: 'status', of: (attempt) => attempt.status },
            { title: 'error', of: (attempt) => attempt.error_message ?? attempt.error },
          ],
          'It has not been tried yet.',
        );
        return { json: view, text: () => `${textFields(fields)}\n\n${attempts}` };
      }),
    );
  webhooks
    .command('resend')
    .description('sends webhooks again, with the same body and webhook-id')
    .argument('[delivery-id...]')
    .option('--all-failed', 'all that webhooks failed lists', false)
    .option('--client <client-id>', 'with --all-failed: of this client alone')
    .addHelpText(
      'after',
      '\nExample:\n  $ npm run admin -- webhooks resend --all-failed --client client_0a1b2c3d4e5f6g7h',
    )
    .action(
      run(async ({ ports, actor }, given: string[], options: { allFailed: boolean; client?: string }) => {
        if (options.allFailed === given.length > 0) {
          throw new GatewayError('invalid_request', 'Name the webhooks to send again, or say --all-failed.');
        }
        const failed = options.allFailed
          ? await failedWebhooks(ports, { clientId: options.client, limit: failedMax })
          : [];
        const ids = options.allFailed ? failed.map(({ delivery_id }) => delivery_id) : given;
        return resent(await resendWebhooks(ports, actor, ids));
      }),
    );
}

/** @throws GatewayError where one that was named is not there. */
function resent(results: readonly ResendResult[]): CommandAnswer {
  const unknown = results.filter(({ outcome }) => outcome === 'not_found');
  if (unknown.length > 0 && unknown.length === results.length) {
    throw new GatewayError(
      'not_found',
      `There is no webhook ${unknown.map((one) => one.delivery_id).join(', ')}.`,
    );
  }
  const lines = results.map(({ delivery_id, outcome }) => `${delivery_id} ${outcomes[outcome]}`);
  return { json: { results }, text: () => lines.join('\n') || 'There is nothing to send again.' };
}

function deliveryTable(deliveries: readonly DeliverySummary[]): string {
  return textTable(
    deliveries,
    [
      { title: 'delivery id', of: (row) => row.delivery_id },
      { title: 'client id', of: (row) => row.client_id },
      { title: 'event', of: (row) => row.event },
      { title: 'url', of: (row) => row.url },
      { title: 'attempts', of: (row) => row.attempts },
      { title: 'failed', of: (row) => row.finished_at },
      { title: 'last error', of: (row) => row.last_error },
    ],
    'No webhook has failed.',
  );
}
