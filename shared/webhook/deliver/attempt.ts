/** The stored record of an attempt: enough to explain it to the endpoint's owner, without secrets. */
import type { Attempt, AttemptError, Delivery, WithdrawnError } from '../delivery.ts';
import type { PostResult } from '../post/http-post.ts';

const secretHeaders = /^(x-webhook-signature|webhook-signature|set-cookie|.*(auth|token|secret|api-?key).*)$/;

interface AttemptRun {
  readonly trigger: Attempt['trigger'];
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: PostResult;
}

export function attemptOf(delivery: Delivery, run: AttemptRun): Attempt {
  const { result } = run;
  return {
    ...identityOf(delivery, run.trigger, run.startedAt, run.endedAt),
    dns_ms: rounded(result.timings.dnsMs),
    connect_ms: rounded(result.timings.connectMs),
    tls_ms: rounded(result.timings.tlsMs),
    first_byte_ms: rounded(result.timings.firstByteMs),
    total_ms: rounded(result.timings.totalMs) ?? 0,
    reused_connection: result.reusedConnection,
    address: result.address,
    status: result.status,
    request_headers: redacted(run.requestHeaders),
    response_headers: redacted(result.headers),
    response_body: result.bodyStart,
    error: result.error,
    error_message: result.errorMessage,
  };
}

export const interruptedMessage = 'the workers that made this attempt stopped before it ended';

/** An attempt during which every worker died. It is unknown what the endpoint received. */
export function interruptedAttempt(delivery: Delivery, now: Date): Attempt {
  return attemptWithoutPost(delivery, now, 'reset', interruptedMessage);
}

const withdrawnMessages: Readonly<Record<WithdrawnError, string>> = {
  endpoint_disabled: 'the endpoint was disabled after the event; nothing was posted',
  endpoint_deleted: 'the endpoint was deleted after the event; nothing was posted',
};

/** An attempt that was not made, because the client no longer has the endpoint or has disabled it. */
export function withdrawnAttempt(delivery: Delivery, error: WithdrawnError, now: Date): Attempt {
  return attemptWithoutPost(delivery, now, error, withdrawnMessages[error]);
}

function attemptWithoutPost(
  delivery: Delivery,
  now: Date,
  error: AttemptError,
  error_message: string,
): Attempt {
  return {
    ...identityOf(delivery, delivery.attempt_trigger, now, now),
    total_ms: 0,
    reused_connection: false,
    request_headers: {},
    response_headers: {},
    response_body: '',
    error,
    error_message,
  };
}

function identityOf(delivery: Delivery, trigger: Attempt['trigger'], startedAt: Date, endedAt: Date) {
  return {
    number: delivery.attempt_number,
    trigger,
    due_at: delivery.attempt_due_at,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    lateness_ms: startedAt.getTime() - new Date(delivery.attempt_due_at).getTime(),
  };
}

function redacted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.test(name.toLowerCase()) ? '[redacted]' : value,
    ]),
  );
}

/** To a tenth of a millisecond. */
function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}
