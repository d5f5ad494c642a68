/** What is wrong with a client now, and the command that helps: its credentials, limits, spend, messages and webhooks. */
import { messageErrorCodes } from '../contract/message-error-codes.ts';
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
import { failedWebhooks } from './webhooks.ts';

export interface Finding {
  /** A problem stops messages or webhooks; a warning soon may. */
  readonly severity: 'problem' | 'warning';
  readonly about: 'client' | 'limits' | 'caps' | 'otp' | 'messages' | 'webhooks' | 'suppressions';
  readonly message: string;
  /** A command of the shell, or what to do. */
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

export interface FailingEndpoint {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Webhooks that failed for good and have not been acknowledged since. */
  readonly failed: number;
  /** When the oldest of them was created. */
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
  readonly webhooks: readonly FailingEndpoint[];
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
  readonly webhooks: readonly FailingEndpoint[];
}

/** More are counted as this many. */
const failedWebhooksMax = 500;
/** More are counted as this many. */
const suppressionsMax = 1000;

/** @param client - its id or name */
export async function diagnoseClient(dependencies: AdminDependencies, client: string): Promise<Diagnosis> {
  const clientId = await clientIdOf(dependencies, client);
  const now = dependencies.clock();
  const [shown, explained, rows, held, messages, failed, suppressed] = await Promise.all([
    showClient(dependencies, clientId),
    explainLimits(dependencies, clientId),
    limitsOf(dependencies, clientId),
    listOtpHolds(dependencies),
    outcomesOf(dependencies, clientId, now),
    failedWebhooks(dependencies, { clientId, limit: failedWebhooksMax }),
    dependencies.suppressions.list(clientId, suppressionsMax, undefined),
  ]);
  const webhooks = failingEndpoints(failed);
  const holds = held.filter((hold) => hold.client_id === clientId);
  const facts: ClientFacts = { client: shown, limits: explained.endpoints, rows, holds, messages, webhooks };
  return {
    client_id: clientId,
    name: shown.name,
    at: now.toISOString(),
    findings: findingsOf(facts),
    limits: explained.endpoints,
    messages,
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
    next_step: `limits show ${client_id}`,
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
      { severity: 'problem', about, message: `${name} is blocked.`, next_step: `limits show ${client_id}` },
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

function aboutEndpoint({ client_id }: DiagnosedClient, endpoint: FailingEndpoint): Finding {
  const { origin, failed, since, last_error } = endpoint;
  return {
    severity: 'problem',
    about: 'webhooks',
    message: `${failed} webhooks to ${origin} failed for good, the oldest of ${since}${last_error === null ? '' : `: ${last_error}`}.`,
    next_step: `webhooks resend --all-failed --client ${client_id}`,
  };
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

/** @param failed - the latest failure first */
function failingEndpoints(failed: readonly DeliverySummary[]): FailingEndpoint[] {
  return [...Map.groupBy(failed, ({ url }) => originOf(url))]
    .map(([origin, group]) => ({
      origin,
      failed: group.length,
      since: group.map(({ created_at }) => created_at).toSorted()[0] ?? '',
      last_error: lastErrorOf(group),
    }))
    .toSorted((one, other) => other.failed - one.failed);
}

function lastErrorOf([latest]: readonly DeliverySummary[]): string | null {
  if (latest === undefined) return null;
  return latest.last_status === null ? latest.last_error : `HTTP ${latest.last_status}`;
}
