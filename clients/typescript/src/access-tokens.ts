/** Holds the access token: requested once for all calls that need it at the same time, and renewed before it expires. */

export interface IssuedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** Renewed when a tenth of its lifetime is left, at most a minute. */
const renewBeforeMs = 60_000;

export class AccessTokens {
  readonly #request: () => Promise<IssuedToken>;
  /** Milliseconds of a clock that nobody sets. */
  readonly #now: () => number;
  #current: { readonly token: string; readonly renewAtMs: number } | undefined;
  #renewal: Promise<string> | undefined;

  constructor(request: () => Promise<IssuedToken>, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  /** A token that is valid for a while. */
  get(): Promise<string> {
    if (this.#current !== undefined && this.#now() < this.#current.renewAtMs)
      return Promise.resolve(this.#current.token);
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Forgets a token that the gateway refused; another call may have renewed it already. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  async #renew(): Promise<string> {
    const requestedAtMs = this.#now();
    const { access_token: token, expires_in } = await this.#request();
    const lifetimeMs = expires_in * 1000;
    const renewAtMs = requestedAtMs + lifetimeMs - Math.min(renewBeforeMs, lifetimeMs / 10);
    this.#current = { token, renewAtMs };
    return token;
  }
}
