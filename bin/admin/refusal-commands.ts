/** `refusals …`: shows which requests of clients were refused, how often and why. */
import { listRefusals, refusalsQuery, showRefusal } from '../../shared/admin/refusals.ts';
import type { Refusal } from '../../shared/http/record-refusals.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand } from './command.ts';
import { timeForms, timeTextOf } from './options.ts';
import { textFields, textTable } from './print.ts';

interface RefusalOptions {
  readonly client?: string;
  readonly since?: string;
  readonly until?: string;
}

export function addRefusalCommands(program: AdminCommand): void {
  const refusals = program.command('refusals').description('requests that were refused with 400, 403 or 429');
  refusals
    .command('list')
    .description('counts refusals by hour, client, endpoint and reason, of the last day by default')
    .option('--client <client>', 'only of this client (id or name)')
    .option('--since <time>', `from the hour of this time on, ${timeForms}; counts are kept for a week`)
    .option('--until <time>', 'until the hour of this time')
    .addHelpText(
      'after',
      '\nOf each so many happened at least, and less than twice as many. Of more than eight a minute only some are kept; the access log\nhas every request.\n\nExample:\n  $ npm run admin -- refusals list --client "Web shop" --since 2h',
    )
    .run(async ({ dependencies }, { client, since, until }: RefusalOptions) => {
      const now = dependencies.clock();
      const query = parseFields(refusalsQuery, {
        client_id: client,
        since: timeTextOf('since', since, now),
        until: timeTextOf('until', until, now),
      });
      const found = await listRefusals(dependencies, query);
      return {
        json: found,
        text: () =>
          textTable(
            found.refusals,
            [
              ['hour', ({ hour }) => hour.slice(0, 'yyyy-mm-ddThh:mm'.length)],
              ['client', 'client_id'],
              'endpoint',
              'reason',
              'at_least',
              ['last request', 'last_request_id'],
              ['last message', ({ last }) => (last === null ? null : messageOf(last))],
            ],
            'No request was refused.',
          ),
        problem: found.more_clients ? 'Not all clients were read: name a --client.' : undefined,
      };
    });
  refusals
    .command('show <request-id>')
    .description('shows a refusal of the last day by the id of its request')
    .run(async ({ dependencies }, requestId: string) => {
      const refusal = await showRefusal(dependencies, requestId);
      return { json: refusal, text: () => textFields(refusal) };
    });
}

/** The faulty fields, of which the message names only the first; else the message. */
function messageOf({ message, details }: Refusal): string {
  return details.length === 0 ? message : details.map((one) => `${one.field}: ${one.message}`).join(' ');
}
