/** `logs …`: shows requests as they arrive, and counts refused ones, from the functions' log lines. */
import { setTimeout as wait } from 'node:timers/promises';
import { type LoggedRequest, requestLogOf } from '../../shared/admin/request-log.cloudwatch.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { addSeconds, type Clock, type Sleep } from '../../shared/platform/clock.ts';
import { type AdminCommand, clientOf } from './command.ts';
import { countRefusals } from './count-refusals.ts';
import { timeForms, timeOf } from './options.ts';
import { textTable } from './print.ts';

export function addLogCommands(program: AdminCommand): void {
  const logs = program.command('logs').description('the log lines of requests');
  addRefusals(logs);
  logs
    .command('tail')
    .description('shows requests as they arrive, without phone numbers, texts and addresses, until Ctrl-C')
    .option('--client <client>', 'only of this client (id or name)')
    .option('--since <time>', `begin with the requests since this time, ${timeForms}`)
    .option('--no-follow', 'stop after the requests that are already logged; --json needs this option')
    .addHelpText(
      'after',
      '\nOn AWS a request is shown some seconds after it came.\n\nExample:\n  $ npm run admin -- logs tail --client "Web shop" --since 10m',
    )
    .run(async (session, given: { client?: string; since?: string; follow: boolean }) => {
      const { client, since, follow } = given;
      const { ctx, gateway, report } = session;
      if (follow && program.opts<{ json: boolean }>().json)
        throw new GatewayError('invalid_request', '--json prints one document: give --no-follow, too.');
      const { clock } = ctx;
      const options = {
        since: since === undefined ? clock() : timeOf('since', since, clock()),
        clientId: client === undefined ? undefined : await clientOf(session, client),
        follow,
      };
      const requests: LoggedRequest[] = [];
      const parts = {
        log: await requestLogOf(gateway.stackName),
        clock,
        wait: async (ms: number) => wait(ms),
      };
      for await (const request of tailRequests(parts, options)) {
        report(lineOf(request, options.clientId === undefined));
        if (!follow) requests.push(request);
      }
      return { json: { requests } };
    });
}

function addRefusals(logs: AdminCommand): void {
  logs
    .command('refusals')
    .description('counts the 400, 403 and 429 of clients by hour, endpoint and reason')
    .option('--client <client>', 'only of this client (id or name)')
    .option('--since <time>', `refused since then, ${timeForms}`, '24h')
    .option('--until <time>', 'refused until this time; default: now')
    .addHelpText(
      'after',
      '\nOn AWS a request is counted some seconds after it came, and as long as its log line is kept (the setting logRetentionDays).\n\nExample:\n  $ npm run admin -- logs refusals --client "Web shop" --since 7d',
    )
    .run(async (session, { client, since, until }: { client?: string; since: string; until?: string }) => {
      const now = session.ctx.clock();
      const from = timeOf('since', since, now);
      const to = until === undefined ? now : timeOf('until', until, now);
      if (to < from) throw new GatewayError('invalid_request', '--until must be after --since.');
      const clientId = client === undefined ? undefined : await clientOf(session, client);
      const log = await requestLogOf(session.gateway.stackName);
      const refusals = await countRefusals(log.refused(from, to, clientId));
      return {
        json: { refusals },
        text: () =>
          textTable(
            refusals,
            [
              'hour',
              ['client', 'client_id'],
              'endpoint',
              'reason',
              'count',
              ['fields', ({ faulty_fields }) => faulty_fields.join(', ')],
              ['last request', 'last_request_id'],
            ],
            'No request was refused in this time.',
          ),
      };
    });
}

function lineOf(request: LoggedRequest, isOfAll: boolean): string {
  const { timestamp, status, method, path, error, faulty_fields, message_id, batch_id, request_id } = request;
  const answer = [`${request.duration_ms} ms`, error, faulty_fields?.join(','), message_id ?? batch_id];
  const client = isOfAll ? request.client_id : undefined;
  return [timestamp, status, method, path, ...answer, client, request_id]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** CloudWatch Logs returns a line some seconds after it was written. */
const lateSeconds = 30;
const pauseMs = 3000;

/**
 * Yields the requests of a client or of all clients as they arrive, each once. Reads overlapping periods, because a line can
 * become readable after the time that it contains.
 */
export async function* tailRequests(
  {
    log,
    clock,
    wait,
  }: {
    readonly log: { readonly read: Awaited<ReturnType<typeof requestLogOf>>['read'] };
    readonly clock: Clock;
    readonly wait: Sleep;
  },
  {
    since,
    clientId,
    follow,
  }: {
    readonly since: Date;
    readonly clientId: string | undefined;
    /** False to stop after the existing lines. */
    readonly follow: boolean;
  },
): AsyncGenerator<LoggedRequest> {
  let shown = new Set<string>();
  let from = since;
  for (;;) {
    const asked = clock();
    const lines = await log.read(from, clientId);
    for (const { id, request } of lines) if (!shown.has(id)) yield request;
    if (!follow) return;
    // Only the next response can repeat these lines.
    shown = new Set(lines.map(({ id }) => id));
    const next = addSeconds(asked, -lateSeconds);
    from = next > since ? next : since;
    await wait(pauseMs);
  }
}
