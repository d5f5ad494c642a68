/** `webhooks …`: shows failed webhooks, and resends them. */
import { failedWebhooks, finishResend } from '../../shared/admin/manage-webhooks.ts';
import type { ResendView } from '../../shared/webhook/webhook-response.schema.ts';
import { type AdminCommand, clientOf, searchedData } from './command.ts';
import { addFieldOptions, addOperation, callOperation, fieldsIn, fieldsOf } from './operation-command.ts';
import { textFields, textTable } from './print.ts';

const failedMax = 1000;

export function addWebhookCommands(program: AdminCommand): void {
  const webhooks = program.command('webhooks').description('failed webhooks, and resending them');
  webhooks
    .command('failed')
    .description('lists webhooks that failed after their last retry, the latest first')
    .option('--client <client>', 'only of this client (id or name)')
    .run(async (session, options: { client?: string }) => {
      const { ctx, mode } = session;
      const clientId = options.client && (await clientOf(session, options.client));
      const failed = await failedWebhooks(ctx, { clientId, limit: failedMax });
      const more = failed.length === failedMax;
      return {
        json: { mode, webhooks: failed, more },
        text: () => [
          textTable(
            failed,
            ['delivery_id', 'client_id', 'event', 'url', 'attempts', ['failed', 'finished_at'], 'last_error'],
            'No webhook has failed.',
          ),
          ...(more ? [`These are the latest ${failedMax}; there may be more.`] : []),
          searchedData(session, clientId),
        ],
      };
    });
  addOperation(webhooks, 'show', 'showWebhook', {
    description: 'shows a webhook with its body and every attempt',
    text: ({ attempt_log, ...fields }) => [
      textFields(fields),
      textTable(
        attempt_log,
        [
          ['attempt', 'number'],
          ['started', 'started_at'],
          ['ms', (attempt) => Math.round(attempt.total_ms)],
          'status',
          ['error', (attempt) => attempt.error_message ?? attempt.error],
        ],
        'It has not been tried yet.',
      ),
    ],
  });
  webhooks
    .command('resend <delivery-id...>')
    .description('resends webhooks, with the same body and webhook-id')
    .run(async (session, delivery_ids: string[]) => {
      const { results } = await callOperation(session, 'resendWebhooks', {}, { delivery_ids });
      const left = results.filter(({ outcome }) => outcome === 'not_found' || outcome === 'failed').length;
      return {
        json: { results },
        text: () =>
          textTable(
            results,
            [['webhook', 'delivery_id'], ['result', ({ outcome }) => outcome.replaceAll('_', ' ')], 'error'],
            '',
          ),
        problem: left === 0 ? undefined : `${left} could not be resent.`,
      };
    });
  const fields = fieldsOf('resendWebhookDeliveries');
  const many = webhooks.command('resend-failed <client>');
  addFieldOptions(many, fields);
  many
    .description('resends every failed webhook of a client whose event happened since a time')
    .addHelpText(
      'after',
      '\nExample:\n  $ npm run admin -- webhooks resend-failed "Web shop" --since 2026-11-20T10:00:00Z',
    )
    .run(async (session, client: string, options: object) => {
      const { ctx, report } = session;
      const request = fieldsIn(options, fields, ctx.clock());
      const begun = await callOperation(session, 'resendWebhookDeliveries', { client_id: client }, request);
      const progressOf = ({ status, resent, matched }: ResendView): string =>
        status === 'matching' ? `${matched} found` : `${resent} of ${matched}`;
      report(progressOf(begun));
      const ended = await finishResend(ctx, begun, (view) => report(progressOf(view)));
      const { resent, matched, skipped } = ended;
      return {
        json: ended,
        text: () =>
          matched === 0
            ? 'There is nothing to resend.'
            : `${resent} of ${matched} are resent, ${skipped} were acknowledged or resent in the meantime.`,
      };
    });
}
