/** Problems and warnings about a client, in words, each with the command that helps. */
import { disabledByClient } from '../../webhook/webhook-endpoint.ts';
import type { ApiKeyView, ClientView } from '../clients.ts';
import type { ExplainedEndpoint } from '../explain-limits.ts';
import type { EndpointLimits } from '../limits.ts';
import type { OtpHoldView } from '../otp-holds.ts';
import type { EndpointSummary } from '../webhooks.ts';
import { type ClientEndpoint, failedWebhooksMax } from './client-endpoints.ts';
import type { MessageOutcomes } from './message-outcomes.ts';

export interface Finding {
  /** A problem stops messages or webhooks; a warning soon may. */
  readonly severity: 'problem' | 'warning';
  readonly about: 'client' | 'limits' | 'caps' | 'otp' | 'messages' | 'webhooks' | 'suppressions';
  readonly message: string;
  /** The country of held one-time passwords. */
  readonly country?: string;
  /** A command of `npm run admin --`, or what to do. */
  readonly next_step: string;
}

type DiagnosedClient = ClientView & { readonly api_keys: readonly ApiKeyView[] };

/** The facts from which the findings follow. */
export interface ClientFacts {
  readonly client: DiagnosedClient;
  readonly limits: readonly ExplainedEndpoint[];
  readonly rows: readonly Pick<EndpointLimits, 'endpoint' | 'status' | 'faults'>[];
  readonly holds: readonly Pick<OtpHoldView, 'country' | 'summary'>[];
  readonly messages: MessageOutcomes;
  readonly webhooks: readonly ClientEndpoint[];
  readonly managed: readonly Pick<EndpointSummary, 'endpoint_id' | 'url' | 'enabled' | 'disabled_reason'>[];
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
    country,
    next_step: `otp allow ${client_id} ${country}`,
  };
}

function aboutRow(
  { client_id }: DiagnosedClient,
  { endpoint, status, faults }: ClientFacts['rows'][number],
): Finding[] {
  // The status is what the row itself, the dashboard and the shell say of it; an expired row has no effect anyway.
  if (status !== 'invalid') return [];
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

/** A share of failures below this one, of few messages, is no problem. */
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
  // An endpoint that the client disabled itself is not a problem.
  if (enabled || disabled_reason === null || disabled_reason === disabledByClient) return [];
  return [
    {
      severity: 'problem',
      about: 'webhooks',
      message: `The endpoint ${endpoint_id} (${url}) was disabled: ${disabled_reason.replaceAll('_', ' ')}.`,
      next_step: `the client enables it again: PATCH /api/v1/webhook-endpoints/${endpoint_id} {"enabled": true}`,
    },
  ];
}
