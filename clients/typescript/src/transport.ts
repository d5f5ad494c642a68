/**
 * Sends a request until it has an answer: with a valid token and retries that are safe. A call has one budget of retries
 * and one deadline, and its token request counts towards both.
 */
import { AccessTokens } from './access-tokens.ts';
import { AuthenticationError } from './errors.ts';
import { exchangeWith, type GatewayRequest, prepare } from './exchange.ts';
import { checkConnection, checkOptions, type GatewayOptions, type SendOptions } from './options.ts';
import { type Repeat, retryDelayMs } from './retry.ts';
import { abortError, type Runtime, systemRuntime, type TimeLimit, timeLimit } from './runtime.ts';

export type CallGateway = <Answer>(request: GatewayRequest, options?: SendOptions) => Promise<Answer>;

/** @throws ArgumentError where the options cannot be used */
export function connect(options: GatewayOptions, runtime: Runtime = systemRuntime): CallGateway {
  checkOptions(options);
  checkConnection(options);
  const { clientId, clientSecret, apiKey } = options;
  const exchange = exchangeWith(options, runtime);
  const tokens = new AccessTokens({
    request: (limit) => {
      const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const request = { method: 'POST', path: '/api/v1/auth/token', repeat: 'always', body } as const;
      return exchange(prepare(options, request, {}), undefined, 1, limit);
    },
    runtime,
    store: options.tokenStore,
    storeKey: () => storeKeyOf(options),
  });

  return async <Answer>(request: GatewayRequest, call: SendOptions = {}): Promise<Answer> => {
    checkOptions(call);
    const key = call.idempotencyKey ?? (request.repeat === 'with_key' ? crypto.randomUUID() : undefined);
    const prepared = prepare(options, request, {
      ...call.headers,
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    });
    const { signal } = call;
    const {
      timeoutMs = 30_000,
      maxRetries = 3,
      deadlineMs = Number.POSITIVE_INFINITY,
      maxRetryAfterMs: longestWaitMs = 60_000,
    } = { ...options, ...given(call) };
    const endsAtMs = runtime.now() + deadlineMs;
    /** Until the request itself is sent, nothing can happen twice. */
    let repeat: Repeat = 'always';

    const send = (credential: string, attempt: number, limit: TimeLimit): Promise<object> => {
      repeat = request.repeat;
      return exchange(prepared, `Bearer ${credential}`, attempt, limit);
    };
    const attemptOnce = async (attempt: number): Promise<object> => {
      const limit = timeLimit(runtime, Math.min(timeoutMs, Math.max(1, endsAtMs - runtime.now())), signal);
      repeat = 'always';
      if (apiKey) return await send(apiKey, attempt, limit);
      const token = await tokens.get(limit);
      try {
        return await send(token, attempt, limit);
      } catch (error) {
        if (!(error instanceof AuthenticationError)) throw error;
        tokens.forget(token);
      }
      repeat = 'always';
      return await send(await tokens.get(limit), attempt, limit);
    };

    for (let attempt = 1; ; attempt += 1) {
      try {
        if (signal?.aborted) throw abortError(signal);
        return (await attemptOnce(attempt)) as Answer;
      } catch (error) {
        const question = { repeat, attempt, longestWaitMs, random: runtime.random() };
        const delayMs = attempt > maxRetries ? undefined : retryDelayMs(error, question);
        if (delayMs === undefined || runtime.now() + delayMs >= endsAtMs) throw error;
        await runtime.wait(delayMs, signal).catch(() => undefined);
      }
    }
  };
}

/** Credentials that differ in their secret only must not share a token: it may be a test secret, or a wrong one. */
async function storeKeyOf({ baseUrl, clientId, clientSecret }: GatewayOptions): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(clientSecret));
  const hex = Array.from(new Uint8Array(hash, 0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `messaging-gateway-token:${baseUrl.replace(/\/+$/, '')}:${clientId}:${hex}`;
}

/** Without what is undefined, which must not hide the setting of the client. */
function given(options: SendOptions): SendOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
