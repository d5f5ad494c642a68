/**
 * Which receivers answer quickly, so that one that hangs holds hardly a worker of the fast lane. Nothing is skipped or
 * put off by it: both lanes keep the promised times, on concurrency of their own.
 *
 * A receiver is one origin of one client: what one client's receiver does never tells on another client's webhooks.
 *
 *   quick     a POST to it ended within a second, less than half an hour ago: posted to in the fast lane.
 *   slow      it let a second go by, less than ten minutes ago: posted to in the slow lane. One of which quicker answers
 *             are known is slow, for as long as a POST may take, after 300 ms without one: it may be about to hang.
 *             Should the answer still come within the second, it is quick again, and given that second from then on.
 *   unproven  neither is known: in the fast lane one worker probes it, by the next webhook to it. The others wait for
 *             the outcome a moment, and go to the slow lane if there is none. A client has four probes at most under
 *             way, so not even a thousand new receivers that hang can hold more than four workers.
 */
import { addSeconds } from '../../platform/clock.ts';
import { ExpiringMap } from '../../platform/expiring-cache.ts';
import { shardOf } from '../../platform/shard.ts';

export interface Endpoint {
  readonly clientId: string;
  readonly origin: string;
}

/** The receiver of a delivery. */
export function endpointOf(delivery: { readonly client_id: string; readonly url: string }): Endpoint {
  return { clientId: delivery.client_id, origin: URL.parse(delivery.url)?.origin ?? delivery.url };
}

type HealthStatus = 'healthy' | 'slow' | 'unknown';

/** `taken` by the caller, who must give it back; or by another, since when. */
export type TrialRequest =
  | { readonly taken: true; readonly slot: string; readonly holder: string }
  | { readonly taken: false; readonly since: Date };

export interface EndpointHealth {
  /** As every worker may know it within a second. */
  status(endpoint: Endpoint, now: Date): Promise<HealthStatus>;
  takeTrial(endpoint: Endpoint, holder: string, now: Date): Promise<TrialRequest>;
  releaseTrial(trial: TrialRequest): Promise<void>;
  /** It has let `healthyWithinMs` go by without an answer. */
  recordSlow(endpoint: Endpoint, now: Date): Promise<void>;
  /** For how long a POST in the fast lane may go without an answer before the receiver is said to hesitate. */
  slowSuspicionMs(endpoint: Endpoint, now: Date): number;
  /** It has let that time go by, and others are not to be held up by it meanwhile. */
  recordLikelySlow(endpoint: Endpoint, now: Date): Promise<void>;
  /** A POST to it ended in under `healthyWithinMs`, however it ended: it held no worker. */
  recordHealthy(endpoint: Endpoint, now: Date, tookMs: number): Promise<void>;
}

export type KnownHealth =
  | { readonly status: 'slow'; readonly until: Date }
  | {
      readonly status: 'healthy';
      readonly until: Date;
      /** Its answers are known to take longer than `likelySlowAfterMs`, and less than `healthyWithinMs`. */
      readonly slowButOk: boolean;
    };

/** The memory that all workers share. */
export interface EndpointHealthStore {
  read(endpoint: Endpoint): Promise<KnownHealth | undefined>;
  setSlow(endpoint: Endpoint, slowAt: Date, until: Date): Promise<void>;
  /** Slow without having hung; does nothing if it is known to have. */
  setLikelySlow(endpoint: Endpoint, now: Date, until: Date): Promise<void>;
  /** Does nothing, and says so, if the receiver hung after `unlessSlowSince`. */
  setHealthy(endpoint: Endpoint, until: Date, slowButOk: boolean, unlessSlowSince: Date): Promise<boolean>;
  /** Since when another holds the slot, if another does. */
  takeSlot(slot: string, holder: string, now: Date, until: Date): Promise<Date | undefined>;
  freeSlot(slot: string, holder: string): Promise<void>;
}

export const healthyWithinMs = 1000;
/** As long as waiting for a probe's outcome is worth while. */
export const likelySlowAfterMs = 300;
/** Above the 5.5 s of a POST: by then it is known to hang, or its worker has died. */
const likelySlowSeconds = 6;
const healthySeconds = 1800;
const slowSeconds = 600;
/** A quick answer among ones that hang proves nothing: only one this long after the last of those does. */
const recoverySeconds = 20;
const trialsPerClient = 4;
/** Above the 5.5 s of a POST and the writes before it; a worker that died with a probe holds it no longer. */
const trialSeconds = 10;
/** How long one worker goes by what it knows; what it saw itself it knows at once. */
const freshMs = 300;
/** Outlives a POST, so that a quick answer is not written down again and again. */
const cacheSeconds = 6;
/** A receiver that hangs costs each worker a write in so many seconds, not one for each POST. */
const slowWriteIntervalSeconds = 5;
const cachedEndpointsMax = 5000;

export function endpointHealth(store: EndpointHealthStore): EndpointHealth {
  const cache = new ExpiringMap<{ readonly known: KnownHealth; readonly freshUntil: number }>(
    cachedEndpointsMax,
  );
  const slowRecorded = new ExpiringMap<true>(cachedEndpointsMax);
  const keyOf = (endpoint: Endpoint) => `${endpoint.clientId} ${endpoint.origin}`;

  function remember(endpoint: Endpoint, known: KnownHealth, now: Date): void {
    const freshUntil = now.getTime() + freshMs;
    cache.set(keyOf(endpoint), { known, freshUntil }, now, now.getTime() + cacheSeconds * 1000);
  }

  return {
    async status(endpoint, now) {
      const cached = cache.get(keyOf(endpoint), now);
      if (cached !== undefined && now.getTime() < cached.freshUntil && now < cached.known.until)
        return cached.known.status;
      const known = await store.read(endpoint);
      // Nothing known is not remembered: whoever waits for a probe's outcome is to see it at once.
      if (known === undefined || known.until <= now) return 'unknown';
      remember(endpoint, known, now);
      return known.status;
    },

    async takeTrial(endpoint, holder, now) {
      const slot = `${endpoint.clientId}#${shardOf(endpoint.origin, trialsPerClient)}`;
      const since = await store.takeSlot(slot, holder, now, addSeconds(now, trialSeconds));
      return since === undefined ? { taken: true, slot, holder } : { taken: false, since };
    },

    async releaseTrial(trial) {
      if (trial.taken) await store.freeSlot(trial.slot, trial.holder);
    },

    async recordSlow(endpoint, now) {
      const key = keyOf(endpoint);
      const until = addSeconds(now, slowSeconds);
      remember(endpoint, { status: 'slow', until }, now);
      if (slowRecorded.get(key, now)) return;
      slowRecorded.set(key, true, now, now.getTime() + slowWriteIntervalSeconds * 1000);
      await store.setSlow(endpoint, now, until);
    },

    slowSuspicionMs(endpoint, now) {
      const known = cache.get(keyOf(endpoint), now)?.known;
      return known?.status === 'healthy' && known.slowButOk ? healthyWithinMs : likelySlowAfterMs;
    },

    async recordLikelySlow(endpoint, now) {
      const known = cache.get(keyOf(endpoint), now)?.known;
      if (known?.status === 'slow' && now < known.until) return;
      const until = addSeconds(now, likelySlowSeconds);
      remember(endpoint, { status: 'slow', until }, now);
      await store.setLikelySlow(endpoint, now, until);
    },

    async recordHealthy(endpoint, now, tookMs) {
      const known = cache.get(keyOf(endpoint), now)?.known;
      const slowButOk = tookMs >= likelySlowAfterMs;
      // A quick receiver costs a write each quarter of an hour.
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
