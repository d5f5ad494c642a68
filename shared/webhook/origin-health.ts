/**
 * Which receivers hang. One time-out sends an origin's deliveries to the slow lane; one quick answer, which it gives
 * there, brings them back. Nothing is skipped or put off by it: both lanes keep the promised times, on
 * concurrency of their own, so receivers that hang wait for each other and for nobody else.
 */
import { addSeconds } from '../clock.ts';

export interface OriginHealth {
  isSlow(origin: string, now: Date): Promise<boolean>;
  noteTimeout(origin: string, now: Date): Promise<void>;
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
/** How long one worker goes by what it knows; its own time-outs it knows at once. */
const cacheSeconds = 5;
const cachedOriginsMax = 5000;

export function originHealth(store: OriginStore): OriginHealth {
  const known = new Map<string, { readonly readUntil: Date; readonly slowUntil: Date | undefined }>();

  function remember(origin: string, slowUntil: Date | undefined, now: Date): void {
    if (known.size >= cachedOriginsMax) known.clear();
    known.set(origin, { readUntil: addSeconds(now, cacheSeconds), slowUntil });
  }

  return {
    async isSlow(origin, now) {
      const hit = known.get(origin);
      if (hit === undefined || now >= hit.readUntil) remember(origin, await store.slowUntil(origin), now);
      const slowUntil = known.get(origin)?.slowUntil;
      return slowUntil !== undefined && now < slowUntil;
    },

    async noteTimeout(origin, now) {
      const until = addSeconds(now, slowSeconds);
      remember(origin, until, now);
      await store.setSlow(origin, until);
    },

    async noteQuickAnswer(origin, now) {
      const hit = known.get(origin);
      // Only what is not known to be quick needs a write: in the fast lane, nothing.
      if (hit !== undefined && now < hit.readUntil && hit.slowUntil === undefined) return;
      remember(origin, undefined, now);
      await store.forget(origin);
    },
  };
}
