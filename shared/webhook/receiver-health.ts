/**
 * Which receivers answer quickly, so that one that hangs holds hardly a worker of the fast lane. Nothing is skipped or
 * put off by it: both lanes keep the promised times, on concurrency of their own.
 *
 * A receiver is one origin of one client: what one client's receiver does never tells on another client's webhooks.
 *
 *   quick     a POST to it ended within a second, less than half an hour ago: posted to in the fast lane.
 *   slow      it let a second go by, less than ten minutes ago: posted to in the slow lane.
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

export type Standing = 'quick' | 'slow' | 'unproven';

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
  /** A POST to it ended in under `quickMs`, however it ended: it held no worker. */
  noteQuick(receiver: Receiver, now: Date): Promise<void>;
}

export interface Known {
  readonly standing: 'quick' | 'slow';
  readonly until: Date;
}

/** The memory that all workers share. */
export interface ReceiverStore {
  read(receiver: Receiver): Promise<Known | undefined>;
  setSlow(receiver: Receiver, hungAt: Date, until: Date): Promise<void>;
  /** Does nothing, and says so, if the receiver hung after `unlessHungSince`. */
  setQuick(receiver: Receiver, until: Date, unlessHungSince: Date): Promise<boolean>;
  /** Since when another holds the slot, if another does. */
  takeSlot(slot: string, holder: string, now: Date, until: Date): Promise<Date | undefined>;
  freeSlot(slot: string, holder: string): Promise<void>;
}

export const quickMs = 1000;
const quickSeconds = 1800;
const slowSeconds = 600;
/** A quick answer among ones that hang proves nothing: only one this long after the last of those does. */
const recoverySeconds = 20;
const probesPerClient = 4;
/** Above the 5.5 s of a POST and the writes before it; a worker that died with a probe holds it no longer. */
const probeSeconds = 10;
/** How long one worker goes by what it knows; what it saw itself it knows at once. */
const cacheSeconds = 1;
const cachedReceiversMax = 5000;

export function receiverHealth(store: ReceiverStore): ReceiverHealth {
  const cache = new ExpiringMap<{ readonly known: Known | undefined }>(cachedReceiversMax);
  const keyOf = (receiver: Receiver) => `${receiver.clientId} ${receiver.origin}`;

  function remember(receiver: Receiver, known: Known | undefined, now: Date): void {
    cache.set(keyOf(receiver), { known }, now, now.getTime() + cacheSeconds * 1000);
  }

  return {
    async standing(receiver, now) {
      let known = cache.get(keyOf(receiver), now)?.known;
      if (known === undefined) {
        // Not remembered: whoever waits for a probe's outcome is to see it at once.
        known = await store.read(receiver);
        if (known !== undefined) remember(receiver, known, now);
      }
      return known !== undefined && now < known.until ? known.standing : 'unproven';
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
      const until = addSeconds(now, slowSeconds);
      remember(receiver, { standing: 'slow', until }, now);
      await store.setSlow(receiver, now, until);
    },

    async noteQuick(receiver, now) {
      const known = cache.get(keyOf(receiver), now)?.known;
      // A quick receiver costs a write each quarter of an hour.
      if (known?.standing === 'quick' && known.until > addSeconds(now, quickSeconds / 2)) return;
      const until = addSeconds(now, quickSeconds);
      if (await store.setQuick(receiver, until, addSeconds(now, -recoverySeconds))) {
        remember(receiver, { standing: 'quick', until }, now);
      }
    },
  };
}
