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
import { addSeconds } from '../clock.ts';
import { ExpiringMap } from '../expiring-cache.ts';
import { shardOf } from '../shard.ts';

export interface Receiver {
  readonly clientId: string;
  readonly origin: string;
}

/** The receiver of a delivery. */
export function receiverOf(delivery: { readonly client_id: string; readonly url: string }): Receiver {
  return { clientId: delivery.client_id, origin: URL.parse(delivery.url)?.origin ?? delivery.url };
}

type Standing = 'quick' | 'slow' | 'unproven';

/** `taken` by the caller, who must give it back; or by another, since when. */
export type Probe =
  | { readonly taken: true; readonly slot: string; readonly holder: string }
  | { readonly taken: false; readonly since: Date };

export interface ReceiverHealth {
  /** As every worker may know it within a second. */
  standing(receiver: Receiver, now: Date): Promise<Standing>;
  takeProbe(receiver: Receiver, holder: string, now: Date): Promise<Probe>;
  giveBack(probe: Probe): Promise<void>;
  /** It has let `quickMs` go by without an answer. */
  noteHanging(receiver: Receiver, now: Date): Promise<void>;
  /** For how long a POST in the fast lane may go without an answer before the receiver is said to hesitate. */
  patienceMs(receiver: Receiver, now: Date): number;
  /** It has let that time go by, and others are not to be held up by it meanwhile. */
  noteHesitating(receiver: Receiver, now: Date): Promise<void>;
  /** A POST to it ended in under `quickMs`, however it ended: it held no worker. */
  noteQuick(receiver: Receiver, now: Date, tookMs: number): Promise<void>;
}

export type Known =
  | { readonly standing: 'slow'; readonly until: Date }
  | {
      readonly standing: 'quick';
      readonly until: Date;
      /** Its answers are known to take longer than `hesitatesMs`, and less than `quickMs`. */
      readonly leisurely: boolean;
    };

/** The memory that all workers share. */
export interface ReceiverStore {
  read(receiver: Receiver): Promise<Known | undefined>;
  setSlow(receiver: Receiver, hungAt: Date, until: Date): Promise<void>;
  /** Slow without having hung; does nothing if it is known to have. */
  setHesitating(receiver: Receiver, now: Date, until: Date): Promise<void>;
  /** Does nothing, and says so, if the receiver hung after `unlessHungSince`. */
  setQuick(receiver: Receiver, until: Date, leisurely: boolean, unlessHungSince: Date): Promise<boolean>;
  /** Since when another holds the slot, if another does. */
  takeSlot(slot: string, holder: string, now: Date, until: Date): Promise<Date | undefined>;
  freeSlot(slot: string, holder: string): Promise<void>;
}

export const quickMs = 1000;
/** As long as waiting for a probe's outcome is worth while. */
export const hesitatesMs = 300;
/** Above the 5.5 s of a POST: by then it is known to hang, or its worker has died. */
const hesitatingSeconds = 6;
const quickSeconds = 1800;
const slowSeconds = 600;
/** A quick answer among ones that hang proves nothing: only one this long after the last of those does. */
const recoverySeconds = 20;
const probesPerClient = 4;
/** Above the 5.5 s of a POST and the writes before it; a worker that died with a probe holds it no longer. */
const probeSeconds = 10;
/** How long one worker goes by what it knows; what it saw itself it knows at once. */
const freshMs = 300;
/** Outlives a POST, so that a quick answer is not written down again and again. */
const cacheSeconds = 6;
/** A receiver that hangs costs each worker a write in so many seconds, not one for each POST. */
const hungAgainSeconds = 5;
const cachedReceiversMax = 5000;

export function receiverHealth(store: ReceiverStore): ReceiverHealth {
  const cache = new ExpiringMap<{ readonly known: Known; readonly freshUntil: number }>(cachedReceiversMax);
  const hung = new ExpiringMap<true>(cachedReceiversMax);
  const keyOf = (receiver: Receiver) => `${receiver.clientId} ${receiver.origin}`;

  function remember(receiver: Receiver, known: Known, now: Date): void {
    const freshUntil = now.getTime() + freshMs;
    cache.set(keyOf(receiver), { known, freshUntil }, now, now.getTime() + cacheSeconds * 1000);
  }

  return {
    async standing(receiver, now) {
      const cached = cache.get(keyOf(receiver), now);
      if (cached !== undefined && now.getTime() < cached.freshUntil && now < cached.known.until)
        return cached.known.standing;
      const known = await store.read(receiver);
      // Nothing known is not remembered: whoever waits for a probe's outcome is to see it at once.
      if (known === undefined || known.until <= now) return 'unproven';
      remember(receiver, known, now);
      return known.standing;
    },

    async takeProbe(receiver, holder, now) {
      const slot = `${receiver.clientId}#${shardOf(receiver.origin, probesPerClient)}`;
      const since = await store.takeSlot(slot, holder, now, addSeconds(now, probeSeconds));
      return since === undefined ? { taken: true, slot, holder } : { taken: false, since };
    },

    async giveBack(probe) {
      if (probe.taken) await store.freeSlot(probe.slot, probe.holder);
    },

    async noteHanging(receiver, now) {
      const key = keyOf(receiver);
      const until = addSeconds(now, slowSeconds);
      remember(receiver, { standing: 'slow', until }, now);
      if (hung.get(key, now)) return;
      hung.set(key, true, now, now.getTime() + hungAgainSeconds * 1000);
      await store.setSlow(receiver, now, until);
    },

    patienceMs(receiver, now) {
      const known = cache.get(keyOf(receiver), now)?.known;
      return known?.standing === 'quick' && known.leisurely ? quickMs : hesitatesMs;
    },

    async noteHesitating(receiver, now) {
      const known = cache.get(keyOf(receiver), now)?.known;
      if (known?.standing === 'slow' && now < known.until) return;
      const until = addSeconds(now, hesitatingSeconds);
      remember(receiver, { standing: 'slow', until }, now);
      await store.setHesitating(receiver, now, until);
    },

    async noteQuick(receiver, now, tookMs) {
      const known = cache.get(keyOf(receiver), now)?.known;
      const leisurely = tookMs >= hesitatesMs;
      // A quick receiver costs a write each quarter of an hour.
      if (known?.standing === 'quick' && known.until > addSeconds(now, quickSeconds / 2)) {
        if (known.leisurely || !leisurely) return;
      }
      const until = addSeconds(now, quickSeconds);
      if (await store.setQuick(receiver, until, leisurely, addSeconds(now, -recoverySeconds))) {
        remember(receiver, { standing: 'quick', until, leisurely }, now);
      }
    },
  };
}
