/**
 * What the carrier and the endpoints saw of the simulated gateway, recorded where no fault can remove it, and which
 * claims the callers had: so that a second call is told from one that an expired claim excuses.
 */

import { simulatedCarrier } from '../../../shared/carrier/simulator/simulator.ts';
import type { Carrier } from '../../../shared/message/dispatch/carrier.ts';
import { claimSeconds } from '../../../shared/message/dispatch/dispatch-message.ts';
import type { Message } from '../../../shared/message/message.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { AttemptError } from '../../../shared/webhook/attempt-record.ts';
import type { Post as PostWebhook } from '../../../shared/webhook/deliver/http-post.ts';
import { type Delivery, type Lane, leaseSeconds } from '../../../shared/webhook/delivery.ts';
import type { DeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import type { Process } from './processes.ts';
import type { SimulatedWorld } from './world.ts';

/** What an endpoint does with a POST. */
export interface Answer {
  readonly afterMs: number;
  /** Absent if the POST failed. */
  readonly status?: number;
  readonly error?: AttemptError;
}

/** What is needed to tell whether a second call under another claim is excused. */
interface HeldClaim {
  readonly process: Process;
  /** The true time of the claim, and how long it holds. */
  readonly claimedAtMs: number;
  readonly leaseMs: number;
  /** Whether another process wrote to the row while the claim held. */
  overtaken: boolean;
  /** Whether the outcome is in the row. */
  settled: boolean;
}

/** One call that the carrier or an endpoint saw. */
export interface Seen {
  readonly claim: HeldClaim;
  /** Whether the response never reached the process. */
  unknown: boolean;
  readonly body: string;
}

export interface Post extends Seen {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly at: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly lane: Lane;
}

interface OutsideOptions {
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly answer: (deliveryId: string, postNumber: number, clientId: string) => Answer;
  readonly behavesAs?: ((message: Message) => string) | undefined;
  readonly newId: (kind: string) => string;
}

export const attemptOf = ({ deliveryId, attempt }: Post): string => `${deliveryId}#${attempt}`;

export function outsideCalls(world: SimulatedWorld, options: OutsideOptions) {
  const { messages, deliveries } = options;
  const { time } = world;
  const { call, port } = world.processes;
  const claims = new WeakMap<Process, { readonly held: HeldClaim; readonly delivery?: Delivery }>();
  const holders = new Map<string, HeldClaim>();
  const handOvers = new Map<string, Seen[]>();
  const posts: Post[] = [];
  const postsOf = new Map<string, number>();
  const deliveryIds = new Set<string>();

  function claimedBy(process: Process, seconds: number, delivery?: Delivery): HeldClaim {
    const leaseMs = seconds * 1000;
    const claim = { process, claimedAtMs: time.now(), leaseMs, overtaken: false, settled: false };
    claims.set(process, delivery === undefined ? { held: claim } : { held: claim, delivery });
    return claim;
  }

  /** The messages table as a process has it. */
  function messagesOf(process: Process): MessageStore {
    return port<MessageStore>(process, 'messages', {
      ...messages,
      async claim(messageId, wanted) {
        const claimed = await messages.claim(messageId, wanted);
        if (claimed.outcome === 'claimed') claimedBy(process, claimSeconds);
        return claimed;
      },
    });
  }

  function deliveriesOf(process: Process): DeliveryStore {
    return port<DeliveryStore>(process, 'deliveries', {
      ...deliveries,
      async create(delivery) {
        const row = await deliveries.create(delivery);
        deliveryIds.add(delivery.delivery_id);
        if (row.revision === delivery.revision) noteWrite(process, delivery);
        return row;
      },
      async replace(seen, next) {
        const won = await deliveries.replace(seen, next);
        if (won) noteWrite(process, next);
        return won;
      },
    });
  }

  /** A process that writes during another one's lease has a wrong clock, or the holder has. */
  function noteWrite(process: Process, next: Delivery): void {
    const holder = holders.get(next.delivery_id);
    if (holder !== undefined && holder.process !== process)
      holder.overtaken ||= time.now() < holder.claimedAtMs + holder.leaseMs;
    if (next.state === 'attempting') holders.set(next.delivery_id, claimedBy(process, leaseSeconds, next));
    else if (holder?.process === process) holder.settled = true;
  }

  /** The carrier takes what reached it; only what it says of it can be lost on the way. */
  function carrierOf(process: Process): Carrier {
    const carrier = simulatedCarrier({
      prices: { currency: 'USD', sms: {}, whatsapp: {} },
      outbox: {
        async record({ message_id, body }) {
          const claim = claims.get(process)?.held ?? claimedBy(process, claimSeconds);
          handOvers.set(message_id, [...(handOvers.get(message_id) ?? []), { claim, unknown: true, body }]);
        },
      },
      async sendReceipts(reports) {
        for (const { body, delaySeconds } of reports) world.put('receipts', body, delaySeconds);
      },
    });
    const handOver: Carrier['handOver'] = (request) => {
      const { message } = request;
      const recipient = options.behavesAs?.(message) ?? message.recipient;
      return carrier.handOver({ ...request, message: { ...message, recipient } });
    };
    return {
      async handOver(given) {
        const answer = await call(process, 'hand-over', () => handOver(given), ['double', 'retry']);
        const own = handOvers
          .get(given.message.message_id)
          ?.findLast(({ claim }) => claim.process === process);
        if (own !== undefined) own.unknown = false;
        return answer;
      },
    };
  }

  /** A POST never throws: failures are results. Only the gateway repeats it. */
  function postOf(process: Process, lane: Lane): PostWebhook {
    const send: PostWebhook = async ({ body, headers }) => {
      const { held: claim, delivery } = claims.get(process) ?? {};
      if (claim === undefined || delivery === undefined) throw new Error('a POST without a claim');
      const { delivery_id: deliveryId, attempt_number: attempt, client_id: clientId } = delivery;
      posts.push({ deliveryId, attempt, at: world.now(), body, headers, lane, claim, unknown: false });
      const number = (postsOf.get(deliveryId) ?? 0) + 1;
      postsOf.set(deliveryId, number);
      const { afterMs, status, error } = options.answer(deliveryId, number, clientId);
      await time.sleep(afterMs);
      return {
        timings: { totalMs: afterMs },
        reusedConnection: false,
        status,
        headers: {},
        bodyStart: '',
        error: error ?? (status === 200 ? undefined : 'not_200'),
      };
    };
    return (request) =>
      call(process, 'post', () => send(request), ['double', 'fail_before', 'fail_after', 'throttle']);
  }

  return {
    messagesOf,
    deliveriesOf,
    carrierOf,
    postOf,
    /** The ids of all rows of deliveries. */
    deliveryIds: deliveryIds as ReadonlySet<string>,
    /** By message. */
    handOvers: handOvers as ReadonlyMap<string, readonly Seen[]>,
    posts: posts as readonly Post[],
    /** Attempts whose worker died during the POST or before it recorded the outcome. */
    diedInPost: (): ReadonlySet<string> =>
      new Set(posts.filter(({ claim }) => claim.process.isDead() && !claim.settled).map(attemptOf)),
  };
}
