/** What is wrong with a client now, and the command that helps: its access, limits, spend, messages, webhooks, suppressions. */
import { messageErrorCodes } from '../contract/message-error-codes.ts';
import type { Status } from '../message/message.ts';
import type { SuppressionSource } from '../message/suppression/suppression.ts';
import type { SuppressionPage } from '../message/suppression/suppression-store.ts';
import { addDays } from '../platform/clock.ts';
import { type Amounts, combinationsIn, errorCodesIn } from '../usage/amounts.ts';
import { periodAt } from '../usage/period.ts';
import { originOf } from '../webhook/endpoint-health/endpoint-health.ts';
import type { DeliverySummary } from '../webhook/log/delivery-response.schema.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import type { ApiKeyView, ClientView } from './client-views.ts';
import { clientIdOf, showClient } from './clients.ts';
import { type ExplainedEndpoint, explainLimits } from './explain-limits.ts';
import { type EndpointLimits, limitsOf } from './limits.ts';
import { listOtpHolds, type OtpHoldView } from './otp-holds.ts';
import { healthOfLatest, type OriginHealth } from './webhook-health.ts';
import { type EndpointSummary, listEndpoints } from './webhook-log.ts';
import { failedWebhooks } from './webhooks.ts';

export interface Finding {
  /** A problem stops messages or webhooks; a warning soon may. */
  readonly severity: 'problem' | 'warning';
  readonly about: 'client' | 'limits' | 'caps' | 'otp' | 'messages' | 'webhooks' | 'suppressions';
  readonly message: string;
  /** A command of `npm run admin --`, or what to do. */
  readonly next_step: string;
}

export interface MessageOutcomes {
  /** The start of the UTC day of yesterday. */
  readonly since: string;
  readonly messages: number;
  readonly failed: number;
  readonly expired: number;
  /** Most frequent first. */
  readonly error_codes: readonly {
    readonly error_code: string;
    readonly meaning: string | null;
    readonly messages: number;
  }[];
}

export interface FailedMessage {
  readonly message_id: string;
  readonly recipient: string;
  readonly status: Status;
  readonly error_code: string | null;
  readonly created_at: string;
}

/** An endpoint that fails now, or that has webhooks which failed for good. */
export interface ClientEndpoint {
  /** Scheme, host and port; of a queue or an event bus, its ARN. */
  readonly origin: string;
  /** Whether the webhooks of the latest messages fail; null if they tell nothing. */
  readonly is_failing: boolean | null;
  /** Webhooks that failed for good and have not been acknowledged since. */
  readonly failed: number;
  /** Webhooks of the latest messages that wait for an attempt. */
  readonly waiting: number;
  /** Of the first failure that is known, or when the oldest failed webhook was created. */
  readonly since: string;
  readonly last_error: string | null;
}

export interface Diagnosis {
  readonly client_id: string;
  readonly name: string;
  readonly at: string;
  /** Problems first. */
  readonly findings: readonly Finding[];
  readonly limits: readonly ExplainedEndpoint[];
  readonly messages: MessageOutcomes;
  /** The newest first. */
  readonly recent_failures: readonly FailedMessage[];
  readonly webhooks: readonly ClientEndpoint[];
  readonly suppressions: SuppressedRecipients;
}

/** To whom messages of the client are not sent. */
export interface SuppressedRecipients {
  readonly count: number;
  /** Whether there are more. */
  readonly more: boolean;
  readonly by_source: Readonly<Partial<Record<SuppressionSource, number>>>;
}

type DiagnosedClient = ClientView & { readonly api_keys: readonly ApiKeyView[] };

/** What the findings are made of. */
export interface ClientFacts {
  readonly client: DiagnosedClient;
  readonly limits: readonly ExplainedEndpoint[];
  readonly rows: readonly Pick<EndpointLimits, 'endpoint' | 'faults'>[];
  readonly holds: readonly Pick<OtpHoldView, 'country' | 'summary'>[];
  readonly messages: MessageOutcomes;
  readonly webhooks: readonly ClientEndpoint[];
  readonly managed: readonly Pick<EndpointSummary, 'endpoint_id' | 'url' | 'enabled' | 'disabled_reason'>[];
}

/** More are counted as this many. */
const failedWebhooksMax = 500;
/** More are counted as this many. */
const suppressionsMax = 1000;
/** The webhooks of so many messages tell how an endpoint answers now. */
const messagesOfHealth = 50;
const failuresShown = 5;

/** @param client - its id or name */
export async function diagnoseClient(dependencies: AdminDependencies, client: string): Promise<Diagnosis> {
  const clientId = await clientIdOf(dependencies, client);
  const now = dependencies.clock();
  const [shown, explained, rows, held, messages, failures, failed, health, managed, suppressed] =
    await Promise.all([
      showClient(dependencies, clientId),
      explainLimits(dependencies, clientId),
      limitsOf(dependencies, clientId),
      listOtpHolds(dependencies),
      outcomesOf(dependencies, clientId, now),
      recentFailures(dependencies, clientId, now),
      failedWebhooks(dependencies, { clientId, limit: failedWebhooksMax }),
      healthOfLatest(dependencies, clientId, messagesOfHealth),
      listEndpoints(dependencies, clientId),
      dependencies.suppressions.list(clientId, suppressionsMax, undefined),
    ]);
  const webhooks = endpointsOf(failed, health.endpoints);
  const holds = held.filter((hold) => hold.client_id === clientId);
  const limits = explained.endpoints;
  const facts: ClientFacts = { client: shown, limits, rows, holds, messages, webhooks, managed };
  return {
    client_id: clientId,
    name: shown.name,
    at: now.toISOString(),
    findings: findingsOf(facts),
    limits,
    messages,
    recent_failures: failures,
    webhooks,
    suppressions: suppressedRecipients(suppressed),
  };
}

function suppressedRecipients({ suppressions, nextAfter }: SuppressionPage): SuppressedRecipients {
  const groups = Map.groupBy(suppressions, ({ source }) => source);
  return {
    count: suppressions.length,
    more: nextAfter !== undefined,
    by_source: Object.fromEntries([...groups].map(([source, rows]) => [source, rows.length])),
  };
}

export function findingsOf(facts: ClientFacts): Finding[] {
  const found = [
    ...aboutAccess(facts.client),
    ...facts.rows.flatMap((row) => aboutRow(facts.client, row)),
    ...facts.limits.flatMap((endpoint) => aboutLimits(facts.client, endpoint)),
    ...facts.holds.map((hold) => aboutHold(facts.client, hold)),
    ...aboutMessages(facts.messages),
    ...facts.webhooks.map((endpoint) => aboutEndpoint(facts.client, endpoint)),
    ...facts.managed.flatMap(aboutManaged),
  ];
  return found.toSorted(
    (one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'),
  );
}

function aboutAccess({ client_id, disabled, secrets, api_keys }: DiagnosedClient): Finding[] {
  if (disabled) {
    return [
      {
        severity: 'problem',
        about: 'client',
        message: 'The client is disabled: all its requests are refused.',
        next_step: `clients enable ${client_id}`,
      },
    ];
  }
  if (secrets.length > 0 || api_keys.some(({ revoked_at }) => revoked_at === null)) return [];
  return [
    {
      severity: 'problem',
      about: 'client',
      message: 'The client has neither a secret nor an API key that is valid.',
      next_step: `clients rotate-secret ${client_id}`,
    },
  ];
}

function aboutHold(
  { client_id }: DiagnosedClient,
  { country, summary }: ClientFacts['holds'][number],
): Finding {
  return {
    severity: 'problem',
    about: 'otp',
    message: summary,
    next_step: `otp allow ${client_id} ${country}`,
  };
}

function aboutRow(
  { client_id }: DiagnosedClient,
  { endpoint, faults }: ClientFacts['rows'][number],
): Finding[] {
  return faults.map(({ field, message }) => ({
    severity: 'warning',
    about: 'limits',
    message: `Its row of limit-overrides for ${endpoint} is not valid: ${field} ${message}`,
    next_step: `limits list ${client_id}`,
  }));
}

const nearlyUsed = 0.8;

function aboutLimits({ client_id }: DiagnosedClient, limits: ExplainedEndpoint): Finding[] {
  const { endpoint, cap, blocked, windows } = limits;
  const about = cap === null ? 'limits' : 'caps';
  const name = cap === null ? endpoint : `The cap ${cap}`;
  const next_step = `limits explain ${client_id}`;
  if (blocked)
    return [
      { severity: 'problem', about, message: `${name} is blocked.`, next_step: `limits list ${client_id}` },
    ];
  return windows
    .filter(({ used, limit }) => used >= limit * nearlyUsed)
    .map(({ window, used, limit, resets_at }) => ({
      severity: used >= limit ? 'problem' : 'warning',
      about,
      message: `${name}: ${used} of ${limit} in this ${window} are used, until ${resets_at}.`,
      next_step,
    }));
}

/** Below, single failures of a few messages are no problem. */
const failureShare = 0.1;
const messagesToJudge = 20;

function aboutMessages({ since, messages, failed, expired, error_codes }: MessageOutcomes): Finding[] {
  const lost = failed + expired;
  if (lost === 0) return [];
  const [first] = error_codes;
  const most = first === undefined ? '' : `, most often ${first.error_code}`;
  return [
    {
      severity: messages >= messagesToJudge && lost / messages > failureShare ? 'problem' : 'warning',
      about: 'messages',
      message: `${lost} of ${messages} messages since ${since.slice(0, 10)} failed or expired${most}.`,
      next_step: 'docs/message-error-codes.md says what each code asks for',
    },
  ];
}

function aboutEndpoint({ client_id }: DiagnosedClient, endpoint: ClientEndpoint): Finding {
  const { origin, is_failing, failed, waiting, since, last_error } = endpoint;
  const error = last_error === null ? '' : ` (${last_error})`;
  const resend = `webhooks resend --failed --client ${client_id} --since ${since}`;
  if (is_failing !== true) {
    const now = is_failing === false ? ' It acknowledges again.' : '';
    return {
      severity: is_failing === false ? 'warning' : 'problem',
      about: 'webhooks',
      message: `${webhooksOf(failed)} to ${origin} failed for good${error}, the oldest of ${since}.${now}`,
      next_step: resend,
    };
  }
  return {
    severity: 'problem',
    about: 'webhooks',
    message: `${origin} has failed since ${since}${error}: ${webhooksOf(failed)} failed for good, ${waiting} wait for a retry.`,
    // Those that wait are sent by themselves.
    next_step: failed === 0 ? `webhooks endpoints ${client_id}` : `when the endpoint is repaired: ${resend}`,
  };
}

function webhooksOf(failed: number): string {
  const count = `${failed}${failed >= failedWebhooksMax ? ' or more' : ''}`;
  return `${count} ${failed === 1 ? 'webhook' : 'webhooks'}`;
}

function aboutManaged({
  endpoint_id,
  url,
  enabled,
  disabled_reason,
}: ClientFacts['managed'][number]): Finding[] {
  // One that the client disabled itself is no problem.
  if (enabled || disabled_reason === null) return [];
  return [
    {
      severity: 'problem',
      about: 'webhooks',
      message: `The endpoint ${endpoint_id} (${url}) was disabled: ${disabled_reason.replaceAll('_', ' ')}.`,
      next_step: `the client enables it again: PATCH /api/v1/webhook-endpoints/${endpoint_id} {"enabled": true}`,
    },
  ];
}

/** Of yesterday and today, so that it is not empty just after midnight. */
async function outcomesOf(
  { usage }: Pick<AdminDependencies, 'usage'>,
  clientId: string,
  now: Date,
): Promise<MessageOutcomes> {
  const yesterday = periodAt('day', addDays(now, -1));
  const rows = await usage.rowsOf(clientId, [yesterday.name, periodAt('day', now).name]);
  const amounts = rows.map((row) => row.amounts);
  const messages = amounts.flatMap(combinationsIn).filter(({ measure }) => measure === 'messages');
  const countOf = (status?: string): number =>
    messages
      .filter((one) => status === undefined || one.status === status)
      .reduce((sum, { amount }) => sum + amount, 0);
  return {
    since: yesterday.from.toISOString(),
    messages: countOf(),
    failed: countOf('failed'),
    expired: countOf('expired'),
    error_codes: errorCodes(amounts),
  };
}

function errorCodes(amounts: readonly Amounts[]): MessageOutcomes['error_codes'] {
  const counts = new Map<string, number>();
  for (const [code, count] of amounts.flatMap((each) => [...errorCodesIn(each)]))
    counts.set(code, (counts.get(code) ?? 0) + count);
  const meanings: Readonly<Record<string, { readonly message: string } | undefined>> = messageErrorCodes;
  return [...counts]
    .map(([error_code, messages]) => ({
      error_code,
      meaning: Object.hasOwn(meanings, error_code) ? (meanings[error_code]?.message ?? null) : null,
      messages,
    }))
    .toSorted((one, other) => other.messages - one.messages);
}

async function recentFailures(
  { messages }: Pick<AdminDependencies, 'messages'>,
  clientId: string,
  now: Date,
): Promise<readonly FailedMessage[]> {
  const since = periodAt('day', addDays(now, -1)).from.toISOString();
  const lost = await Promise.all(
    (['failed', 'expired'] as const).map((status) =>
      messages.search(
        { clientId },
        { limit: failuresShown, since, direction: 'outbound', condition: { status } },
      ),
    ),
  );
  return lost
    .flatMap((page) => page.messages)
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
    .slice(0, failuresShown)
    .map(({ message_id, recipient, status, error_code, created_at }) => ({
      ...{ message_id, recipient, status, error_code: error_code ?? null, created_at },
    }));
}

/** @param failed - the latest failure first */
export function endpointsOf(
  failed: readonly DeliverySummary[],
  healths: readonly Omit<OriginHealth, 'history'>[],
): ClientEndpoint[] {
  const failures = Map.groupBy(failed, ({ url }) => originOf(url));
  const failing = healths.filter(({ failing_since }) => failing_since !== null);
  const origins = new Set([...failures.keys(), ...failing.map(({ origin }) => origin)]);
  return [...origins]
    .map((origin): ClientEndpoint => {
      const group = failures.get(origin) ?? [];
      const health = healths.find((one) => one.origin === origin);
      const times = [...group.map(({ created_at }) => created_at), health?.failing_since ?? '~'];
      return {
        origin,
        is_failing:
          health === undefined || health.success_rate === null ? null : health.failing_since !== null,
        failed: group.length,
        waiting: health?.waiting ?? 0,
        since: times.toSorted()[0] ?? '',
        last_error: lastErrorOf(group) ?? health?.last_error ?? null,
      };
    })
    .toSorted(
      (one, other) =>
        Number(other.is_failing) - Number(one.is_failing) ||
        other.failed - one.failed ||
        other.waiting - one.waiting,
    );
}

function lastErrorOf([latest]: readonly DeliverySummary[]): string | null {
  if (latest === undefined) return null;
  return latest.last_status === null ? latest.last_error : `HTTP ${latest.last_status}`;
}
