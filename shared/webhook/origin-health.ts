/**
 * Which receivers hang. One that has not answered within a second is slow from that moment: its deliveries go to the
 * slow lane until it gives a quick answer there. Nothing is skipped or put off by it: both lanes keep the promised
 * times, on concurrency of their own, so receivers that hang wait for each other and for nobody else.
 */
import { addSeconds } from '../clock.ts';
import { ExpiringMap } from '../expiring-cache.ts';

export interface OriginHealth {
  isSlow(origin: string, now: Date): Promise<boolean>;
  /** It has let `quickAnswerMs` go by without an answer. */
  noteHanging(origin: string, now: Date): Promise<void>;
  /** It answered, with whatever status, in under `quickAnswerMs`. */
  noteQuickAnswer(origin: string, now: Date): Promise<void>;
}

/** The memory that all workers share. */
export interface OriginStore {
  slowUntil(origin: string): Promise<Date | undefined>;
  setSlow(origin: string, until: Date): Promise<void>;
  forget(origin: string): Promise<void>;
}

export const quickAnswerMs = 1000;
/** With no word from an origin for so long, it is tried in the fast lane again. */
const slowSeconds = 600;
/** How long one worker goes by what it knows; what it saw itself it knows at once. */
const cacheSeconds = 1;
const cachedOriginsMax = 5000;

export function originHealth(store: OriginStore): OriginHealth {
  const known = new ExpiringMap<{ readonly slowUntil: Date | undefined }>(cachedOriginsMax);

  function remember(origin: string, slowUntil: Date | undefined, now: Date): void {
    known.set(origin, { slowUntil }, now.getTime() + cacheSeconds * 1000);
  }

  return {
    async isSlow(origin, now) {
      let hit = known.get(origin, now);
      if (hit === undefined) {
        hit = { slowUntil: await store.slowUntil(origin) };
        remember(origin, hit.slowUntil, now);
      }
      return hit.slowUntil !== undefined && now < hit.slowUntil;
    },

    async noteHanging(origin, now) {
      const until = addSeconds(now, slowSeconds);
      remember(origin, until, now);
      await store.setSlow(origin, until);
    },

    async noteQuickAnswer(origin, now) {
      const hit = known.get(origin, now);
      // Only what is not known to be quick needs a write: in the fast lane, nothing.
      if (hit !== undefined && hit.slowUntil === undefined) return;
      remember(origin, undefined, now);
      await store.forget(origin);
    },
  };
}
