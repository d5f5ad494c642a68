/** `webhooks …`: shows failed webhooks, and resends them. */
import {
  failedWebhooks,
  finishResend,
  type ResendResult,
  resendMany,
  resendWebhooks,
} from '../../shared/admin/manage-webhooks.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import { resendRequestSchema } from '../../shared/webhook/log/request-resend.ts';
import type { DeliverySummary, ResendView } from '../../shared/webhook/webhook-response.schema.ts';
import { type AdminCommand, type CommandResult, clientOf, type Session, searchedData } from './command.ts';
import { addOperation } from './operation-command.ts';
import { timeForms, timeTextOf } from './options.ts';
import { textFields, textTable } from './print.ts';

const failedMax = 1000;
const maybeMore = `These are the latest ${failedMax}; there may be more.`;

const outcomes = {
  resent: 'is sent again',
  already_waiting: 'is already waiting for its next attempt',
  acknowledged_meanwhile: 'has been acknowledged',
  not_found: 'is not known',
  failed: 'could not be sent again',
} as const satisfies Record<ResendResult['outcome'], string>;

export function addWebhookCommands(program: AdminCommand): void {
  const webhooks = program.command('webhooks').description('failed webhooks, and sending them again');
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
        text: () => [deliveryTable(failed), ...(more ? [maybeMore] : []), searchedData(session, clientId)],
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
    .command('resend [delivery-id...]')
    .description('sends webhooks again, with the same body and webhook-id')
    .option('--all-failed', 'every webhook that "webhooks failed" lists', false)
    .option(
      '--failed',
      'every failed webhook of one client, without a maximum; needs --client and --since',
      false,
    )
    .option('--client <client>', 'with --failed or --all-failed: of this client (id or name)')
    .option('--endpoint <endpoint-id>', 'with --failed: only to this endpoint')
    .option(
      '--origin <origin>',
      'with --failed: only to this origin, such as https://example.com, or this queue or event bus (its ARN)',
    )
    .option('--since <time>', `with --failed: events from this time on, ${timeForms}`)
    .option('--until <time>', 'with --failed: events until this time')
    .addHelpText(
      'after',
      '\nExample:\n  $ npm run admin -- webhooks resend --failed --client "Web shop" --since 2026-11-20T10:00:00Z',
    )
    .run(async (session, given: string[], options: ResendOptions) => {
      const { ctx, actor, report } = session;
      if (options.failed) return resendFailed(session, given, options);
      if (options.allFailed === given.length > 0) {
        throw new GatewayError(
          'invalid_request',
          'Name the webhooks to send again, or say --failed or --all-failed.',
        );
      }
      if (options.client !== undefined && !options.allFailed) {
        throw new GatewayError('invalid_request', '--client needs --failed or --all-failed.');
      }
      const failed = options.allFailed
        ? await failedWebhooks(ctx, {
            clientId: options.client && (await clientOf(session, options.client)),
            limit: failedMax,
          })
        : [];
      const ids = options.allFailed ? failed.map(({ delivery_id }) => delivery_id) : given;
      const results = await resendWebhooks(ctx, actor, ids, {
        onResult: ({ delivery_id, outcome, error }, done, total) => {
          const reason = error === undefined ? '' : `: ${error}`;
          report(`${done} of ${total}  ${delivery_id} ${outcomes[outcome]}${reason}`);
        },
      });
      return resendResult(results, failed.length === failedMax);
    });
}

interface ResendOptions {
  readonly allFailed: boolean;
  readonly failed: boolean;
  readonly client?: string;
  readonly endpoint?: string;
  readonly origin?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Resends with the client's own operation. This process also sends, and ends after all webhooks are sent. */
async function resendFailed(
  session: Session,
  given: readonly string[],
  { allFailed, client, endpoint, origin, since, until }: ResendOptions,
): Promise<CommandResult> {
  if (client === undefined || since === undefined || allFailed || given.length > 0)
    throw new GatewayError(
      'invalid_request',
      '--failed needs --client and --since, and nothing else to send.',
    );
  const { ctx, actor, report } = session;
  const now = ctx.clock();
  const request = parseFields(resendRequestSchema, {
    endpoint_id: endpoint,
    origin,
    since: timeTextOf('since', since, now),
    until: timeTextOf('until', until, now),
  });
  const begun = await resendMany(ctx, actor, await clientOf(session, client), request);
  const progressOf = ({ status, resent, matched }: ResendView): string =>
    status === 'matching' ? `${matched} found` : `${resent} of ${matched}`;
  report(progressOf(begun));
  const ended = await finishResend(ctx, begun, (view) => report(progressOf(view)));
  return {
    json: ended,
    text: () =>
      ended.matched === 0
        ? 'There is nothing to send again.'
        : `${ended.resent} of ${ended.matched} are sent again, ${ended.skipped} were acknowledged or resent in the meantime.`,
  };
}

function resendResult(results: readonly ResendResult[], more: boolean): CommandResult {
  const counts = Object.entries(Object.groupBy(results, ({ outcome }) => outcome));
  const counted = counts.map(([outcome, some = []]) => `${some.length} ${outcome.replaceAll('_', ' ')}`);
  const total = results.length;
  return {
    json: { results, more },
    text: () => {
      if (total === 0) return 'There is nothing to send again.';
      const done = `${total} of ${total} done: ${counted.join(', ')}.`;
      return more ? `${done}\n${maybeMore} Repeat the command for the rest.` : done;
    },
    problem: problemIn(results),
  };
}

function problemIn(results: readonly ResendResult[]): string | undefined {
  const idsOf = (outcome: ResendResult['outcome']): string[] =>
    results.filter((result) => result.outcome === outcome).map(({ delivery_id }) => delivery_id);
  const [unknown, failed] = [idsOf('not_found'), idsOf('failed')];
  const sentences = [
    ...(unknown.length > 0 ? [`There is no webhook ${unknown.join(', ')}.`] : []),
    ...(failed.length > 0
      ? [`${failed.length} of ${results.length} could not be sent again; the same command can be repeated.`]
      : []),
  ];
  return sentences.length > 0 ? sentences.join('\n') : undefined;
}

function deliveryTable(deliveries: readonly DeliverySummary[]): string {
  return textTable(
    deliveries,
    ['delivery_id', 'client_id', 'event', 'url', 'attempts', ['failed', 'finished_at'], 'last_error'],
    'No webhook has failed.',
  );
}
