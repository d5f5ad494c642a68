/**
 * Holds the access token: requested once for all calls that need it at the same time, and renewed before it expires. A
 * call waits for a request that another call began, but never longer than that request may take: in some runtimes it
 * ends without a result when the handler that began it has returned.
 */
import { type GatewayError, unexpectedAnswer } from './errors.ts';
import { isBearer, type TokenStore } from './options.ts';
import { type Runtime, type TimeLimit, timeLimit, unlessAborted } from './runtime.ts';

/** Renewed when a tenth of its lifetime is left, at most a minute. */
const renewBeforeMs = 60_000;
const longestRenewalMs = 10_000;
/** A store that takes longer is passed over. */
const longestStoreMs = 1000;

interface HeldToken {
  readonly token: string;
  readonly renewAtMs: number;
}

interface Renewal {
  readonly result: Promise<string>;
  readonly endsAtMs: number;
}

export interface TokenSource {
  /** Requests a token: one attempt. */
  readonly request: (limit: TimeLimit) => Promise<unknown>;
  readonly runtime: Runtime;
  readonly store: TokenStore | undefined;
  /** Tells the tokens of these credentials from others in the store. */
  readonly storeKey: () => Promise<string>;
}

export class AccessTokens {
  readonly #source: TokenSource;
  #current: HeldToken | undefined;
  #renewal: Renewal | undefined;
  /** The store may still have it. */
  #refused: string | undefined;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /** Returns a token that is valid for a while. */
  async get(limit: TimeLimit): Promise<string> {
    const { runtime } = this.#source;
    for (;;) {
      if (this.#current !== undefined && runtime.now() < this.#current.renewAtMs) return this.#current.token;
      const renewal = this.#sharedRenewal(limit);
      const end = runtime.timeout(Math.max(1, renewal.endsAtMs - runtime.now()));
      try {
        return await unlessAborted(renewal.result, AbortSignal.any([limit.signal, end]));
      } catch (error) {
        if (limit.signal.aborted) throw limit.errorOf(error);
        if (!end.aborted) throw error;
        // Nothing came of it: the next one is begun here.
        if (this.#renewal === renewal) this.#renewal = undefined;
      }
    }
  }

  /** Forgets a token that the gateway refused; another call may have renewed it already. */
  forget(token: string): void {
    this.#refused = token;
    if (this.#current?.token === token) this.#current = undefined;
  }

  #sharedRenewal({ milliseconds }: TimeLimit): Renewal {
    const { runtime } = this.#source;
    if (this.#renewal !== undefined && runtime.now() < this.#renewal.endsAtMs) return this.#renewal;
    const limit = timeLimit(runtime, longestRenewalMs);
    const renewal: Renewal = {
      result: this.#renew(limit, Math.min(longestStoreMs, milliseconds / 2)).finally(() => {
        if (this.#renewal === renewal) this.#renewal = undefined;
      }),
      endsAtMs: runtime.now() + longestRenewalMs,
    };
    // Every call that waits for it may have left.
    renewal.result.catch(() => undefined);
    this.#renewal = renewal;
    return renewal;
  }

  async #renew(limit: TimeLimit, storeMs: number): Promise<string> {
    const { runtime, request } = this.#source;
    const stored = await this.#stored(storeMs);
    const requestedAtMs = runtime.now();
    if (stored !== undefined) {
      const renewAtMs = requestedAtMs + stored.renewAtMs - runtime.wallClock();
      this.#current = { token: stored.token, renewAtMs };
      return stored.token;
    }
    const { token, lifetimeMs } = issuedToken(await request(limit));
    const useMs = lifetimeMs - Math.min(renewBeforeMs, lifetimeMs / 10);
    this.#current = { token, renewAtMs: requestedAtMs + useMs };
    // No call waits for the store: the token is valid without it.
    this.#keep({ token, renewAtMs: runtime.wallClock() + useMs }, useMs).catch(() => undefined);
    return token;
  }

  /** Returns what the store has, if it can be used. A store that is out of order or slow does not stop the sending. */
  async #stored(storeMs: number): Promise<HeldToken | undefined> {
    const { store, storeKey, runtime } = this.#source;
    if (store === undefined) return undefined;
    try {
      const text = await unlessAborted(
        storeKey().then((key) => store.get(key)),
        runtime.timeout(storeMs),
      );
      const { token, renewAtMs }: Partial<HeldToken> = JSON.parse(text ?? '{}');
      if (!isBearer(token) || typeof renewAtMs !== 'number') return undefined;
      return token === this.#refused || renewAtMs <= runtime.wallClock() ? undefined : { token, renewAtMs };
    } catch {
      return undefined;
    }
  }

  async #keep(held: HeldToken, useMs: number): Promise<void> {
    const { store, storeKey } = this.#source;
    await store?.set(await storeKey(), JSON.stringify(held), Math.max(1, Math.floor(useMs / 1000)));
  }
}

/** @throws GatewayError where the answer has no token */
function issuedToken(answer: unknown): { readonly token: string; readonly lifetimeMs: number } | never {
  const { access_token: token, expires_in } = answer as Readonly<Record<string, unknown>>;
  if (isBearer(token) && typeof expires_in === 'number' && expires_in > 0)
    return { token, lifetimeMs: expires_in * 1000 };
  const error: GatewayError = unexpectedAnswer(200);
  throw error;
}
