/**
 * Who may be posted to in the fast lane: receivers known to be quick, and of the others one probe at a time.
 * Whoever waits here waits 300 ms at most, so a worker of the fast lane is held for long by a probe alone.
 */
import type { Clock } from '../clock.ts';
import type { Lane } from './delivery.ts';
import { hesitatesMs, type Probe, type Receiver, type ReceiverHealth } from './receiver-health.ts';

export interface AdmissionPorts {
  readonly health: ReceiverHealth;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  /** A failure of the health memory: a pity, and no reason to hold a delivery up. */
  readonly warn: (message: string, error: unknown) => void;
}

export interface Admission {
  readonly lane: Lane;
  /** To be given back once the attempt is over. */
  readonly probe?: Probe;
}

const pollMs = 50;

/** @param holder - under which the probe is known: the delivery */
export async function admit(ports: AdmissionPorts, receiver: Receiver, holder: string): Promise<Admission> {
  const { health, clock } = ports;
  const giveUpAt = clock().getTime() + hesitatesMs;
  try {
    for (;;) {
      const standing = await health.standing(receiver, clock());
      if (standing !== 'unproven') return { lane: standing === 'quick' ? 'fast' : 'slow' };
      const probe = await health.takeProbe(receiver, holder, clock());
      if (probe.taken) return { lane: 'fast', probe };
      const now = clock().getTime();
      if (now >= giveUpAt || now - probe.since.getTime() >= hesitatesMs) return { lane: 'slow' };
      await ports.sleep(pollMs);
    }
  } catch (error) {
    ports.warn('the health of a receiver could not be read', error);
    return { lane: 'fast' };
  }
}

/** The lane in which a new delivery begins: what is known to hang need not be found out again by the fast one. */
export async function firstLane(
  ports: Pick<AdmissionPorts, 'clock' | 'warn'> & { readonly health: Pick<ReceiverHealth, 'standing'> },
  receiver: Receiver,
): Promise<Lane> {
  try {
    return (await ports.health.standing(receiver, ports.clock())) === 'slow' ? 'slow' : 'fast';
  } catch (error) {
    ports.warn('the health of a receiver could not be read', error);
    return 'fast';
  }
}
