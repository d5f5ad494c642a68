/**
 * Delivers one webhook when its queue message comes: nothing is lost, and nothing posted twice but by a death of the
 * worker between the first byte of a POST and the record of its outcome, which no sender can rule out.
 *
 * A new delivery comes whole in its queue message, and its row is made by the claim of its first attempt. Should another
 * have made the row, the queue message is one of many, and the row decides.
 *
 * Why a worker may die at any line (1–7 below):
 *   before 3  nothing was written: the queue message comes again.
 *   at 2      the wake may be arranged twice: whichever comes second finds nothing due.
 *   3 to 4    the row is held by a dead worker: once the lease is over the queue message, or the sweep, tries again.
 *   4 to 5    the POST itself: as above, and the receiver may see it twice, under the same `webhook-id`.
 *   5 to 6    the outcome is in the row: the queue message finds `retry_scheduled` and arranges the wake (2), or
 *             finds `failed` with its alert pending and raises it (7).
 *   after 6   everything is done; the queue message, should it come again, finds nothing to do.
 * And should SQS or the scheduler lose a message altogether, the delivery stands in the agenda until it is finished.
 */
import type { WebhookSecrets } from '../client/webhook-secrets.ts';
import { stubbornly } from '../stubbornly.ts';
import { type Admission, type AdmissionPorts, admit } from './admission.ts';
import { type AlertPorts, alertFailure } from './alert-failure.ts';
import { attemptOf, interruptedAttempt } from './attempt.ts';
import type { Attempt, Delivery, Lane } from './delivery.ts';
import { acknowledged, afterFailure, claimed, dueNow, interruptionsMax, nextStep } from './delivery-steps.ts';
import type { Post } from './post.ts';
import { quickMs, type Receiver, receiverOf } from './receiver-health.ts';
import { signatureHeaders } from './signature.ts';
import { type DeliveryMessage, type DeliveryQueue, slowLaneGathersSeconds, type Wake } from './wake.ts';

export interface DeliverPorts extends AlertPorts, AdmissionPorts {
  readonly secrets: WebhookSecrets;
  readonly post: Post;
  readonly queue: DeliveryQueue;
  readonly wake: Wake;
}

interface DeliverSettings {
  /** The lane whose queue this worker serves. */
  readonly lane: Lane;
  readonly timeScale: number;
  readonly userAgent: string;
}

/** What became of a queue message, for the worker's log line. */
export type Outcome =
  | { readonly kind: 'unknown' | 'finished' | 'held' | 'lost_race' | 'waiting' | 'moved_to_slow_lane' }
  | { readonly kind: 'alerted'; readonly delivery: Delivery }
  | {
      readonly kind: 'acknowledged' | 'retry_scheduled' | 'failed';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/**
 * An early wake up to this long before its time is waited out; a longer one goes back to the queue. A wake is early by
 * the rest of a second, and in the slow lane by the second that a batch may gather.
 */
const waitedOutMs = (1 + slowLaneGathersSeconds) * 1000;
/** Between tries to write an outcome: with the SDK's own tries, about 15 s of a lease of 30. */
const outcomePausesMs = [100, 400, 1600, 3200];

export async function deliver(
  ports: DeliverPorts,
  settings: DeliverSettings,
  message: DeliveryMessage,
): Promise<Outcome> {
  const seen =
    message.delivery === undefined
      ? await ports.deliveries.get(message.delivery_id) // 1
      : dueNow(message.delivery, ports.clock());
  if (seen === undefined) return { kind: 'unknown' };
  const step = nextStep(seen, ports.clock());
  if (step.kind === 'nothing') return { kind: step.reason };
  if (step.kind === 'alert') {
    await alertFailure(ports, seen); // 7
    return { kind: 'alerted', delivery: seen };
  }
  if (step.kind === 'wait' && step.remainingMs >= waitedOutMs) {
    await ports.wake.arrange(seen, ports.clock()); // 2
    return { kind: 'waiting' };
  }
  await waitUntil(ports, new Date(seen.attempt_due_at));
  if (settings.lane === 'slow') return attempt(ports, settings, message, seen);
  const admission: Admission =
    seen.lane === 'slow' ? { lane: 'slow' } : await admit(ports, receiverOf(seen), seen.delivery_id);
  if (admission.lane === 'slow') {
    await ports.queue.send('slow', [{ clientId: seen.client_id, message, delaySeconds: 0 }]); // 2
    return { kind: 'moved_to_slow_lane' };
  }
  try {
    return await attempt(ports, settings, message, seen);
  } finally {
    const { probe } = admission;
    if (probe !== undefined) await noteHealth(ports, () => ports.health.giveBack(probe));
  }
}

/** Claims the attempt and makes it. */
async function attempt(
  ports: DeliverPorts,
  settings: DeliverSettings,
  message: DeliveryMessage,
  seen: Delivery,
): Promise<Outcome> {
  // Not before the wait: what is signed with is never older than a worker may remember it.
  const secrets = await ports.secrets.find(seen.client_id);
  const held = claimed(seen, ports.clock(), ports.newRevision());
  if (message.delivery === undefined) {
    if (!(await ports.deliveries.replace(seen, held))) return { kind: 'lost_race' }; // 3
  } else {
    const row = await ports.deliveries.create(held); // 3
    if (row.revision !== held.revision) return deliver(ports, settings, { ...message, delivery: undefined });
  }
  if (held.interruptions >= interruptionsMax) {
    return conclude(ports, settings, held, interruptedAttempt(held, ports.clock()));
  }

  const startedAt = ports.clock();
  const headers = {
    'content-type': 'application/json',
    'user-agent': settings.userAgent,
    'accept-encoding': 'identity',
    ...signatureHeaders(held.delivery_id, held.body, secrets, startedAt),
  };
  const posting = ports.post({ url: held.url, headers, body: held.body }); // 4
  const result = await watched(ports, settings.lane, receiverOf(held), posting);
  const run = {
    trigger: held.attempt_trigger === 'automatic' && message.swept ? 'sweep' : held.attempt_trigger,
    startedAt,
    endedAt: ports.clock(),
    requestHeaders: headers,
    result,
  } as const;
  const outcome = await conclude(ports, settings, held, attemptOf(held, run));
  if (result.timings.totalMs < quickMs) {
    const { totalMs } = result.timings;
    await noteHealth(ports, () => ports.health.noteQuick(receiverOf(held), ports.clock(), totalMs));
  }
  return outcome;
}

/** Records the outcome in one write, then does what it asks for. */
async function conclude(
  ports: DeliverPorts,
  settings: DeliverSettings,
  held: Delivery,
  attempt: Attempt,
): Promise<Outcome> {
  const delivery =
    attempt.error === undefined
      ? acknowledged(held, attempt, ports.newRevision())
      : afterFailure(held, attempt, settings.timeScale, ports.newRevision());
  if (!(await replaceStubbornly(ports, held, delivery))) return { kind: 'lost_race' }; // 5
  if (delivery.state === 'retry_scheduled') await ports.wake.arrange(delivery, ports.clock()); // 6
  if (delivery.state === 'failed') await alertFailure(ports, delivery); // 7
  return { kind: delivery.state as 'acknowledged' | 'retry_scheduled' | 'failed', delivery, attempt };
}

/**
 * A lost outcome would cost the receiver a second POST, so this one write is tried for as long as the lease allows.
 * It knows its own write again, so trying twice is safe.
 */
function replaceStubbornly(ports: DeliverPorts, held: Delivery, next: Delivery): Promise<boolean> {
  const warn = (error: unknown): void =>
    ports.warn('the outcome of an attempt could not be written yet', error);
  const patience = { pausesMs: outcomePausesMs, sleep: ports.sleep, warn };
  return stubbornly(patience, () => ports.deliveries.replace(held, next));
}

/** Tells of a receiver that hangs while it still does: those behind it need not find out each for itself. */
async function watched(
  ports: DeliverPorts,
  lane: Lane,
  receiver: Receiver,
  posting: ReturnType<Post>,
): ReturnType<Post> {
  const { health } = ports;
  let answered = false;
  let hesitation: Promise<void> | undefined;
  const unanswered = async (afterMs: number) => {
    await ports.sleep(afterMs);
    // A worker that was held up itself reads first what came meanwhile.
    await ports.sleep(0);
    return !answered;
  };
  const patienceMs = lane === 'fast' ? health.patienceMs(receiver, ports.clock()) : quickMs;
  if (patienceMs < quickMs) {
    unanswered(patienceMs).then((still) => {
      if (still) hesitation = noteHealth(ports, () => health.noteHesitating(receiver, ports.clock()));
    });
  }
  unanswered(quickMs).then((still) => {
    if (still) noteHealth(ports, () => health.noteHanging(receiver, ports.clock()));
  });
  const result = await posting;
  answered = true;
  // What an answer takes back must have been said before.
  await hesitation;
  return result;
}

async function noteHealth(ports: DeliverPorts, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (error) {
    ports.warn('the health of a receiver could not be noted', error);
  }
}

/** A timer may fire a little early; an attempt may not. */
async function waitUntil(ports: DeliverPorts, at: Date): Promise<void> {
  for (;;) {
    const remainingMs = at.getTime() - ports.clock().getTime();
    if (remainingMs <= 0) return;
    await ports.sleep(remainingMs);
  }
}
