/** One send with `fallback` in the simulated world: what becomes of each leg is told, and which legs started is found. */
import * as z from 'zod/mini';
import type { AllowanceOf } from '../../../shared/limit/take-from-caps.ts';
import type { Message } from '../../../shared/message/message.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { noSenders } from '../doubles/no-senders.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { type Gateway, simulatedGateway } from '../simulation/gateway.ts';
import type { WorldOptions } from '../simulation/world.ts';
import { aClient, ask } from './ask-operation.ts';

export type Fate = 'delivered' | 'refused' | 'failed' | 'expired' | 'silent';

export interface PlannedLeg {
  readonly channel: 'sms' | 'whatsapp';
  /** For the legs that follow: after how long without a delivery it starts. */
  readonly afterSeconds?: number | undefined;
  readonly fate: Fate;
}

const numbers: Readonly<Record<Fate, string>> = {
  delivered: '+447700900123',
  refused: '+15005550001',
  failed: '+15005550002',
  expired: '+15005550003',
  silent: '+15005550004',
};

export const startAt = new Date('2026-11-20T10:00:00.000Z');

interface FallbackRun extends Omit<WorldOptions, 'startAt'> {
  readonly legs: readonly [PlannedLeg, ...PlannedLeg[]];
  readonly validitySeconds: number;
  /** What the functions get for the messages table. */
  readonly messagesThrough?: (store: MessageStore) => MessageStore;
  readonly allowanceOf?: AllowanceOf;
  /** Done as soon as the message is stored. */
  readonly meanwhile?: (gateway: Gateway) => void;
}

interface FallbackResult {
  readonly gateway: Gateway;
  /** The messages of the send by their start, the first one first. */
  readonly legs: readonly Message[];
}

export async function runFallback({
  legs: [first, ...following],
  validitySeconds,
  messagesThrough,
  allowanceOf,
  meanwhile,
  ...world
}: FallbackRun): Promise<FallbackResult> {
  const client = aClient();
  const gateway = simulatedGateway({
    random: randomFrom(1),
    ...world,
    startAt,
    messagesThrough,
    allowanceOf,
    clientIds: [client.client_id],
    answer: () => ({ afterMs: 20, status: 200 }),
    behavesAs: ({ leg = 1 }) => numbers[[first, ...following][leg - 1]?.fate ?? 'delivered'],
  });
  const send = sendSms({
    messages: gateway.messages,
    allowanceOf: async () => undefined,
    ...noSenders,
    webhookUrl: z.url(),
  });
  const { status } = await ask(send, {
    client,
    now: startAt,
    body: {
      to: '+447700900123',
      message: 'Hello',
      validity_period: validitySeconds,
      fallback: following.map(({ channel, afterSeconds }) => ({ channel, after_seconds: afterSeconds })),
    },
  });
  if (status !== 202) throw new Error(`the send was answered with ${status}`);
  meanwhile?.(gateway);
  await gateway.run((following.length + 1) * (validitySeconds + 180) + 7200);
  const legs = gateway.messages.all().toSorted((one, other) => (one.leg ?? 1) - (other.leg ?? 1));
  return { gateway, legs };
}

/** Seconds after the send. */
export function startsOf(legs: readonly Message[]): number[] {
  return legs.map(({ created_at }) => (Date.parse(created_at) - startAt.getTime()) / 1000);
}

/** What a carrier reports, so many seconds after the hand-over at the latest. */
const reportSeconds = 5;
/** Messages are expired by a run of each minute. */
const sweepSeconds = 120;

interface Expected {
  /** The earliest and the latest start of each leg that must start, in seconds after the send. */
  readonly starts: readonly (readonly [number, number])[];
  /** Whether a report comes so near to the time of a leg that either may be first. */
  readonly isClose: boolean;
}

/**
 * The model: a leg starts when the one before it ends undelivered, or has waited long enough, unless an earlier one is
 * delivered by then.
 */
export function expectedStarts(
  legs: readonly PlannedLeg[],
  validitySeconds: number,
  receiptsLateSeconds: number,
): Expected {
  const starts: (readonly [number, number])[] = [];
  let start: readonly [number, number] = [0, 0];
  let delivered: readonly [number, number] = [Infinity, Infinity];
  let isClose = false;
  for (const [index, { fate }] of legs.entries()) {
    if (index > 0) {
      if (start[0] === Infinity || delivered[1] <= start[0]) break;
      if (delivered[0] <= start[1]) {
        isClose = true;
        break;
      }
    }
    starts.push(start);
    const [earliest, latest] = start;
    const reported = [earliest + receiptsLateSeconds, latest + receiptsLateSeconds + reportSeconds] as const;
    const givenUp = [earliest + validitySeconds, latest + validitySeconds + sweepSeconds] as const;
    if (fate === 'delivered' && reported[0] < delivered[0]) delivered = reported;
    const isExpiredFirst = fate === 'silent' || (fate !== 'refused' && reported[0] >= givenUp[1]);
    if (fate !== 'refused' && !isExpiredFirst && reported[1] > givenUp[0]) isClose = true;
    const ended =
      fate === 'refused'
        ? ([earliest, latest + reportSeconds] as const)
        : isExpiredFirst
          ? givenUp
          : fate === 'delivered'
            ? ([Infinity, Infinity] as const)
            : reported;
    const wait = legs[index + 1]?.afterSeconds ?? Infinity;
    const waited = [earliest + wait, latest + wait + reportSeconds] as const;
    start = [Math.min(ended[0], waited[0]), Math.min(ended[1], waited[1])];
  }
  return { starts, isClose };
}
