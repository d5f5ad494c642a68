/** `limits …`: a client's limit overrides. */
import { type Command, InvalidArgumentError } from 'commander';
import { requireClient } from '../../shared/admin/clients.ts';
import { limitsBody } from '../../shared/admin/http/admin-requests.ts';
import {
  allOverrides,
  type EndpointLimits,
  endpointOf,
  type LimitsView,
  limitsOf,
  policyOf,
  removeLimits,
  setLimits,
} from '../../shared/admin/limits.ts';
import { limitPolicies } from '../../shared/contract/limit-rows.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { parseBody } from '../../shared/operation/operation.ts';
import { textTable } from './print.ts';
import type { Runner } from './runner.ts';

const endpoints = `
Endpoints, by their short names or as they are written in the limit-overrides table:
${limitPolicies.map((policy) => `  ${policy.padEnd(14)} ${endpointOf(policy)}`).join('\n')}

Example:
  $ npm run admin -- limits set client_0a1b2c3d4e5f6g7h sms_send --per-minute 300 --per-hour default`;

interface SetOptions {
  readonly perMinute?: number | 'default';
  readonly perHour?: number | 'default';
  readonly perDay?: number | 'default';
}

export function addLimitCommands(program: Command, { run }: Runner): void {
  const limits = program.command('limits').description('limits that differ from the defaults');
  limits
    .command('set')
    .description('sets limits of a client; in force within 60 seconds')
    .argument('<client-id>')
    .argument('<endpoint>')
    .option('--per-minute <number>', 'or "default"', limitOption)
    .option('--per-hour <number>', 'or "default"', limitOption)
    .option('--per-day <number>', 'or "default"', limitOption)
    .addHelpText('after', endpoints)
    .action(
      run(async ({ dependencies, actor }, clientId: string, endpoint: string, options: SetOptions) => {
        const { perMinute, perHour, perDay } = options;
        if (perMinute === undefined && perHour === undefined && perDay === undefined) {
          throw new GatewayError('invalid_request', 'Give --per-minute, --per-hour or --per-day.');
        }
        const { endpoint: _named, ...change } = parseBody(limitsBody, {
          endpoint,
          per_minute: limitOf(perMinute),
          per_hour: limitOf(perHour),
          per_day: limitOf(perDay),
        });
        const view = await setLimits(dependencies, actor, clientId, endpoint, change);
        return { json: view, text: () => limitTable([view]) };
      }),
    );
  limits
    .command('list')
    .description('lists all overrides with what is wrong in them, or all limits of one client')
    .argument('[client-id]')
    .action(
      run(async ({ dependencies }, clientId: string | undefined) => {
        if (clientId !== undefined) await requireClient(dependencies, clientId);
        const found =
          clientId === undefined ? await allOverrides(dependencies) : await limitsOf(dependencies, clientId);
        return { json: { limits: found }, text: () => limitTable(found) };
      }),
    );
  limits
    .command('remove')
    .description('removes an override: the defaults hold again')
    .argument('<client-id>')
    .argument('<endpoint>')
    .addHelpText('after', endpoints)
    .action(
      run(async ({ dependencies, actor }, clientId: string, given: string) => {
        const known = limitPolicies.some((policy) => policy === given);
        const endpoint = known ? endpointOf(policyOf(given)) : given;
        await removeLimits(dependencies, actor, clientId, endpoint);
        const json = { client_id: clientId, endpoint, removed: true };
        return { json, text: () => `${clientId} has the default limits of ${endpoint} again.` };
      }),
    );
}

function limitTable(limits: readonly EndpointLimits[]): string {
  const window = (title: string, field: keyof LimitsView) => ({
    title,
    of: ({ in_force, override }: EndpointLimits) =>
      override?.[field] === undefined ? in_force?.[field] : `${override[field]} *`,
  });
  const table = textTable(
    limits,
    [
      { title: 'client id', of: (row) => row.client_id },
      { title: 'endpoint', of: (row) => row.endpoint },
      window('per minute', 'per_minute'),
      window('per hour', 'per_hour'),
      window('per day', 'per_day'),
      {
        title: 'wrong in the row',
        of: ({ faults }) => faults.map(({ field, value }) => `${field} "${value}"`).join(', '),
      },
    ],
    'No client has limits of its own.',
  );
  const marked = limits.some(({ override }) => override !== null) ? ['* set for this client'] : [];
  const warnings = limits.flatMap(({ client_id, policy, warnings }) =>
    warnings.map((warning) => `Warning, ${client_id}, ${policy}: ${warning}`),
  );
  return [table, ...marked, ...warnings].join('\n\n');
}

/** "default" instead of null, which commander turns into an empty text. */
function limitOption(text: string): number | 'default' {
  if (text === 'default') return text;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It must be a whole number of 1 or more, or "default".');
  }
  return value;
}

/** Null removes the override. */
const limitOf = (option: number | 'default' | undefined): number | null | undefined =>
  option === 'default' ? null : option;
