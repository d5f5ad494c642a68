/**
 * Ends messages whose validity period is over, and wakes scheduled ones whose wake was lost. What is open stands
 * in the due index until it is final, so a run that dies, or never starts, leaves all of it to the next.
 */
import type { Clock } from '../clock.ts';
import { expiry } from './dispatch.ts';
import { dueShards, type MessageStore } from './message-store.ts';
import type { OutboundQueue } from './outbound-queue.ts';

export interface ExpireDependencies {
  readonly messages: Pick<MessageStore, 'findDue' | 'get' | 'transition'>;
  readonly outbound: OutboundQueue;
  readonly clock: Clock;
  /** Milliseconds of work after which the rest is left to the next run. */
  readonly budgetMs: number;
}

export interface Expired {
  readonly expired: number;
  readonly woken: number;
  /** Whether the run ended before the index was through. */
  readonly cutShort: boolean;
}

/** How many rows of a shard are worked on at once. */
const parallel = 20;

/** One run over all shards of the due index. */
export async function expireOverdue(deps: ExpireDependencies): Promise<Expired> {
  const started = deps.clock().getTime();
  const totals = { expired: 0, woken: 0, cutShort: false };
  await Promise.all(
    Array.from({ length: dueShards }, async (_, shard) => {
      let working: Promise<void>[] = [];
      for await (const due of deps.messages.findDue(shard, deps.clock())) {
        working.push(settle(deps, due.messageId, totals));
        if (working.length < parallel) continue;
        await Promise.all(working);
        working = [];
        if (deps.clock().getTime() - started > deps.budgetMs) {
          totals.cutShort = true;
          break;
        }
      }
      await Promise.all(working);
    }),
  );
  return totals;
}

async function settle(
  deps: ExpireDependencies,
  messageId: string,
  totals: { expired: number; woken: number },
): Promise<void> {
  const message = await deps.messages.get(messageId);
  if (message === undefined) return;
  const now = deps.clock();
  if (message.status === 'scheduled') {
    await deps.outbound.enqueue([{ messageId, clientId: message.client_id }]);
    totals.woken += 1;
  } else if (message.expires_at <= now.toISOString()) {
    const expired = await deps.messages.transition(messageId, expiry(now));
    if (expired !== undefined) totals.expired += 1;
  }
}
