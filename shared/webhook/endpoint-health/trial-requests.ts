/**
 * Trial requests: one worker of the fast lane posts to an endpoint of unknown health, to learn whether it answers quickly.
 * A client has at most four at a time, so even a thousand new endpoints that hang occupy at most four workers.
 */
import { addSeconds } from '../../platform/clock.ts';
import { shardOf } from '../../platform/shard.ts';
import type { ClientOrigin } from './endpoint-health.ts';

/** Shared by all workers. */
export interface TrialSlots {
  /** If another holder has the slot: since when. */
  takeSlot(slot: string, holder: string, now: Date, until: Date): Promise<Date | undefined>;
  freeSlot(slot: string, holder: string): Promise<void>;
}

/** Who takes it must release it. */
export interface TrialRequest {
  readonly slot: string;
  readonly holder: string;
}

const trialsPerClient = 4;
/** Longer than the 5.5 s of a POST and its writes; frees the slot of a dead worker. */
const trialSeconds = 10;

/** The trial request; if another worker has it, since when. */
export async function takeTrial(
  slots: TrialSlots,
  endpoint: ClientOrigin,
  holder: string,
  now: Date,
): Promise<{ readonly trial: TrialRequest } | { readonly trial?: undefined; readonly takenSince: Date }> {
  const slot = `${endpoint.clientId}#${shardOf(endpoint.origin, trialsPerClient)}`;
  const takenSince = await slots.takeSlot(slot, holder, now, addSeconds(now, trialSeconds));
  return takenSince === undefined ? { trial: { slot, holder } } : { takenSince };
}

/** A failure delays no delivery: the slot is free again after `trialSeconds`. */
export async function releaseTrial(
  { trials, warn }: { readonly trials: TrialSlots; readonly warn: (message: string, error: unknown) => void },
  trial: TrialRequest | undefined,
): Promise<void> {
  if (trial === undefined) return;
  try {
    await trials.freeSlot(trial.slot, trial.holder);
  } catch (error) {
    warn('a trial request could not be released', error);
  }
}
