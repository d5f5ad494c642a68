/**
 * Tracks which endpoints respond quickly, so that one that hangs occupies almost no worker of the fast lane. No attempt is
 * skipped or delayed: each lane has its own concurrency. An endpoint that fails for days is disabled elsewhere
 * (deliver/disable-endpoint.ts).
 *
 * Health is recorded for each client and origin, so that one client's endpoint never affects another client's webhooks.
 *
 *   healthy  a POST ended within 1 s, less than 30 minutes ago: fast lane.
 *   slow     a POST took longer than 1 s, less than 10 minutes ago: slow lane. An endpoint that usually answers faster
 *            is likely slow after 300 ms without a response, and counts as slow for 6 s. If the response still arrives
 *            within 1 s, the endpoint is healthy again, and slow but ok: from then on only 1 s makes it slow.
 *   unknown  neither: one worker of the fast lane sends the next webhook as a trial request. The others wait for its
 *            result for 300 ms at most, then use the slow lane (choose-lane.ts).
 */
import { addSeconds } from '../platform/clock.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';

/** The scheme, host and port to which a client's webhooks go: endpoints on one server share its health. */
export interface ClientOrigin {
  readonly clientId: string;
  readonly origin: string;
}

export function clientOriginOf(delivery: { readonly client_id: string; readonly url: string }): ClientOrigin {
  return { clientId: delivery.client_id, origin: originOf(delivery.url) };
}

/** Returns the origin of a URL; for a queue or an event bus, its ARN. */
export function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === 'null' ? url : parsed.origin;
}

type HealthStatus = 'healthy' | 'slow' | 'unknown';

export type KnownHealth =
  | { readonly status: 'slow'; readonly until: Date }
  | {
      readonly status: 'healthy';
      readonly until: Date;
      /** Its responses may take between `likelySlowAfterMs` and `healthyWithinMs`. */
      readonly slowButOk: boolean;
    };

/** Shared by all workers. */
export interface EndpointHealthStore {
  read(endpoint: ClientOrigin): Promise<KnownHealth | undefined>;
  setSlow(endpoint: ClientOrigin, slowAt: Date, until: Date): Promise<void>;
  /** Does nothing if `setSlow` is in effect. */
  setLikelySlow(endpoint: ClientOrigin, now: Date, until: Date): Promise<void>;
  /** Does nothing and returns false if the endpoint was slow after `unlessSlowSince`. */
  setHealthy(
    endpoint: ClientOrigin,
    until: Date,
    slowButOk: boolean,
    unlessSlowSince: Date,
  ): Promise<boolean>;
}

export const healthyWithinMs = 1000;
/**
 * The duration above which an endpoint is probably slow; it is also the longest wait for another worker's trial
 * request.
 */
export const likelySlowAfterMs = 300;
/** Longer than the 5 s of a POST: by then the endpoint is known to be slow, or the worker is dead. */
const likelySlowSeconds = 6;
const healthySeconds = 1800;
const slowSeconds = 600;
/** A quick response makes a slow endpoint healthy only this long after its last slow response. */
const recoverySeconds = 20;
/** How long a worker uses a cached status without reading it again. */
const freshMs = 300;
/** The time is longer than a POST, so that not every quick response causes a write. */
const cacheSeconds = 6;
/** A slow endpoint costs each worker one write in this time, not one for each POST. */
const slowWriteIntervalSeconds = 5;
const cachedEndpointsMax = 5000;

export type EndpointHealth = ReturnType<typeof endpointHealth>;

export function endpointHealth(store: EndpointHealthStore) {
  const cache = new ExpiringMap<{ readonly known: KnownHealth; readonly freshUntil: number }>(
    cachedEndpointsMax,
  );
  const slowRecorded = new ExpiringMap<true>(cachedEndpointsMax);
  const keyOf = (endpoint: ClientOrigin) => `${endpoint.clientId} ${endpoint.origin}`;

  function remember(endpoint: ClientOrigin, known: KnownHealth, now: Date): void {
    const freshUntil = now.getTime() + freshMs;
    cache.set(keyOf(endpoint), { known, freshUntil }, now, now.getTime() + cacheSeconds * 1000);
  }

  return {
    /** Follows the writes of other workers within a second. */
    async status(endpoint: ClientOrigin, now: Date): Promise<HealthStatus> {
      const cached = cache.get(keyOf(endpoint), now);
      if (cached !== undefined && now.getTime() < cached.freshUntil && now < cached.known.until)
        return cached.known.status;
      const known = await store.read(endpoint);
      // An unknown status is not cached: workers that wait for a trial request must see its result at once.
      if (known === undefined || known.until <= now) return 'unknown';
      remember(endpoint, known, now);
      return known.status;
    },

    /** Records that no response came within `healthyWithinMs`. */
    async recordSlow(endpoint: ClientOrigin, now: Date): Promise<void> {
      const key = keyOf(endpoint);
      const until = addSeconds(now, slowSeconds);
      remember(endpoint, { status: 'slow', until }, now);
      if (slowRecorded.get(key, now)) return;
      slowRecorded.set(key, true, now, now.getTime() + slowWriteIntervalSeconds * 1000);
      await store.setSlow(endpoint, now, until);
    },

    /** Returns how long a POST in the fast lane may stay unanswered before the endpoint is likely slow. */
    slowSuspicionMs(endpoint: ClientOrigin, now: Date): number {
      const known = cache.get(keyOf(endpoint), now)?.known;
      return known?.status === 'healthy' && known.slowButOk ? healthyWithinMs : likelySlowAfterMs;
    },

    /** Records that no response came within `slowSuspicionMs`. */
    async recordLikelySlow(endpoint: ClientOrigin, now: Date): Promise<void> {
      const known = cache.get(keyOf(endpoint), now)?.known;
      if (known?.status === 'slow' && now < known.until) return;
      const until = addSeconds(now, likelySlowSeconds);
      remember(endpoint, { status: 'slow', until }, now);
      await store.setLikelySlow(endpoint, now, until);
    },

    /** Records that a POST ended within `healthyWithinMs`, with any result. */
    async recordHealthy(endpoint: ClientOrigin, now: Date, tookMs: number): Promise<void> {
      const known = cache.get(keyOf(endpoint), now)?.known;
      const slowButOk = tookMs >= likelySlowAfterMs;
      // A healthy endpoint costs one write each 15 minutes.
      if (known?.status === 'healthy' && known.until > addSeconds(now, healthySeconds / 2)) {
        if (known.slowButOk || !slowButOk) return;
      }
      const until = addSeconds(now, healthySeconds);
      if (await store.setHealthy(endpoint, until, slowButOk, addSeconds(now, -recoverySeconds))) {
        remember(endpoint, { status: 'healthy', until, slowButOk }, now);
      }
    },
  };
}
