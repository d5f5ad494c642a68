/**
 * Diagnoses a client: finds its current problems, describes them, and gives the command that fixes each one. It reads
 * access, limits, spend, messages and webhooks.
 */

import { addDays } from '../../platform/clock.ts';
import { combinationsIn } from '../../usage/amounts.ts';
import { periodAt } from '../../usage/period.ts';
import { usageRowsOf } from '../../usage/usage-reader.dynamo.ts';
import { disabledByClient } from '../../webhook/webhook-endpoint.ts';
import type { AdminContext } from '../admin-context.ts';
import { type EndpointHealth, endpointHealth, failedWebhooksMax } from '../endpoint-health.ts';
import { type ExplainedEndpoint, explainLimits } from '../explain-limits.ts';
import { clientIdOf } from '../find-client.ts';
import { limitsOf } from '../limits.ts';
import { showClient } from '../manage-clients.ts';
import { type EndpointSummary, listEndpoints } from '../manage-webhooks.ts';
import { otpHoldsOf } from '../otp-holds.ts';
import { countedErrorCodes } from '../usage.ts';

/** @param client - its id or name */
export async function diagnoseClient(ctx: AdminContext, client: string) {
  const clientId = await clientIdOf(ctx, client);
  const now = ctx.clock();
  const [shown, explained, rows, holds, messages, endpoints, managed] = await Promise.all([
    showClient(ctx, clientId),
    explainLimits(ctx, clientId),
    limitsOf(ctx, clientId),
    otpHoldsOf(ctx, clientId),
    outcomesOf(ctx, clientId, now),
    endpointHealth(ctx, clientId),
    listEndpoints(ctx, clientId),
  ]);
  const limits = explained.endpoints;
  const webhooks = endpoints.filter(({ since }) => since !== null);
  return {
    client_id: clientId,
    name: shown.name,
    at: now.toISOString(),
    /** Problems first. */
    findings: findingsOf({ client: shown, limits, rows, holds, messages, webhooks, managed }),
  };
}

/** Returns the counts of yesterday and today together, because the counts of today alone are empty just after midnight. */
async function outcomesOf(ctx: AdminContext, clientId: string, now: Date) {
  const yesterday = periodAt('day', addDays(now, -1));
  const rows = await usageRowsOf(ctx, clientId, [yesterday.name, periodAt('day', now).name]);
  const amounts = rows.map((row) => row.amounts);
  const messages = amounts.flatMap(combinationsIn).filter(({ measure }) => measure === 'messages');
  const countOf = (status?: string): number =>
    messages
      .filter((one) => status === undefined || one.status === status)
      .reduce((sum, { amount }) => sum + amount, 0);
  return {
    /** The time at which yesterday (in UTC) began. */
    since: yesterday.from.toISOString(),
    messages: countOf(),
    failed: countOf('failed'),
    expired: countOf('expired'),
    error_codes: countedErrorCodes(amounts),
  };
}

interface Finding {
  /** A problem stops messages or webhooks; a warning may stop them soon. */
  readonly severity: 'problem' | 'warning';
  readonly about: 'client' | 'limits' | 'caps' | 'otp' | 'messages' | 'webhooks';
  readonly message: string;
  readonly country?: string;
  /** A command of `npm run admin --`, or an instruction. */
  readonly next_step: string;
}

export interface ClientFacts {
  readonly client: Awaited<ReturnType<typeof showClient>>;
  readonly limits: readonly ExplainedEndpoint[];
  readonly rows: readonly {
    readonly endpoint: string;
    readonly status: string | null;
    readonly faults: readonly { readonly field: string; readonly message: string }[];
  }[];
  readonly holds: readonly { readonly country: string; readonly summary: string }[];
  readonly messages: Awaited<ReturnType<typeof outcomesOf>>;
  readonly webhooks: readonly EndpointHealth[];
  readonly managed: readonly EndpointSummary[];
}

const problem = (about: Finding['about'], message: string, next_step: string): Finding => ({
  severity: 'problem',
  about,
  message,
  next_step,
});

export function findingsOf(facts: ClientFacts): Finding[] {
  const found = [
    ...aboutAccess(facts.client),
    ...facts.rows.flatMap((row) => aboutRow(facts.client, row)),
    ...facts.limits.flatMap((endpoint) => aboutLimits(facts.client, endpoint)),
    ...facts.holds.map(({ country, summary }) => ({
      ...problem('otp', summary, `call allowOtps ${facts.client.client_id} ${country}`),
      country,
    })),
    ...aboutMessages(facts.messages),
    ...facts.webhooks.map((endpoint) => aboutEndpoint(facts.client, endpoint)),
    ...facts.managed.flatMap(aboutManaged),
  ];
  return found.toSorted(
    (one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'),
  );
}

function aboutAccess({ client_id, disabled, secrets, api_keys }: ClientFacts['client']): Finding[] {
  if (disabled)
    return [
      problem(
        'client',
        'The client is disabled: all its requests are refused.',
        `call changeClient ${client_id} --disabled false`,
      ),
    ];
  if (secrets.length > 0 || api_keys.some(({ revoked_at }) => revoked_at === null)) return [];
  const message = 'The client has neither a secret nor an API key that is valid.';
  return [problem('client', message, `call rotateClientSecret ${client_id}`)];
}

function aboutRow(
  { client_id }: ClientFacts['client'],
  { endpoint, status, faults }: ClientFacts['rows'][number],
): Finding[] {
  // Uses the status that the row itself, the dashboard and the shell show. An expired row has no effect anyway.
  if (status !== 'invalid') return [];
  return faults.map(({ field, message }) => ({
    severity: 'warning',
    about: 'limits',
    message: `Its row of limit-overrides for ${endpoint} is not valid: ${field} ${message}`,
    next_step: `call showLimits ${client_id}`,
  }));
}

const nearlyUsed = 0.8;

function aboutLimits({ client_id }: ClientFacts['client'], limits: ExplainedEndpoint): Finding[] {
  const { endpoint, cap, blocked, windows } = limits;
  const about = cap === null ? 'limits' : 'caps';
  const name = cap === null ? endpoint : `The cap ${cap}`;
  const next_step = `call explainLimits ${client_id}`;
  if (blocked) return [problem(about, `${name} is blocked.`, `call showLimits ${client_id}`)];
  return windows
    .filter(({ used, limit }) => used >= limit * nearlyUsed)
    .map(({ window, used, limit, resets_at }) => ({
      severity: used >= limit ? 'problem' : 'warning',
      about,
      message: `${name}: ${used} of ${limit} in this ${window} are used, until ${resets_at}.`,
      next_step,
    }));
}

/** A problem requires a larger share of failures than this, and at least `messagesToJudge` messages. */
const failureShare = 0.1;
const messagesToJudge = 20;

function aboutMessages({
  since,
  messages,
  failed,
  expired,
  error_codes,
}: ClientFacts['messages']): Finding[] {
  const lost = failed + expired;
  if (lost === 0) return [];
  const [first] = error_codes;
  const most = first === undefined ? '' : `, most often ${first.error_code}`;
  return [
    {
      severity: messages >= messagesToJudge && lost / messages > failureShare ? 'problem' : 'warning',
      about: 'messages',
      message: `${lost} of ${messages} messages since ${since.slice(0, 10)} failed or expired${most}.`,
      next_step: 'docs/guides/errors.md says what to do for each code',
    },
  ];
}

function aboutEndpoint({ client_id }: ClientFacts['client'], endpoint: EndpointHealth): Finding {
  const { origin, is_failing, failed, waiting, since } = endpoint;
  const error = reasonsOf(endpoint);
  const resend = `call resendWebhookDeliveries ${client_id} --since ${since}`;
  if (is_failing !== true) {
    const now = is_failing === false ? ' It acknowledges again.' : '';
    return {
      severity: is_failing === false ? 'warning' : 'problem',
      about: 'webhooks',
      message: `${webhooksOf(failed)} to ${origin} failed permanently${error}, the oldest of ${since}.${now}`,
      next_step: resend,
    };
  }
  return problem(
    'webhooks',
    `${origin} has failed since ${since}: ${webhooksOf(failed)} failed permanently${error}, ${waiting} wait for a retry.`,
    // Waiting webhooks are retried anyway, without a resend.
    failed === 0 ? `call listWebhookEndpoints ${client_id}` : `when the endpoint is repaired: ${resend}`,
  );
}

const reasonsShown = 3;

/** Returns text such as ` (12 HTTP 500, 3 timeout)`. If no webhook has failed permanently yet, returns the last error. */
function reasonsOf({ failures, last_error }: EndpointHealth): string {
  const counted = failures.slice(0, reasonsShown).map(({ error, webhooks }) => `${webhooks} × ${error}`);
  const reasons = counted.length > 0 ? counted.join(', ') : last_error;
  return reasons === null ? '' : ` (${reasons})`;
}

function webhooksOf(failed: number): string {
  const count = `${failed}${failed >= failedWebhooksMax ? ' or more' : ''}`;
  return `${count} ${failed === 1 ? 'webhook' : 'webhooks'}`;
}

function aboutManaged(endpoint: ClientFacts['managed'][number]): Finding[] {
  const { endpoint_id, url, enabled, disabled_reason } = endpoint;
  // If the client disabled an endpoint itself, that is not a problem.
  if (enabled || disabled_reason === null || disabled_reason === disabledByClient) return [];
  return [
    problem(
      'webhooks',
      `The endpoint ${endpoint_id} (${url}) was disabled: ${disabled_reason.replaceAll('_', ' ')}.`,
      `the client enables it again: PATCH /api/v1/webhook-endpoints/${endpoint_id} {"enabled": true}`,
    ),
  ];
}
