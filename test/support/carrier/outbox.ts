/** Numbers that only one test sends to, and what the simulated carrier received for them. */
import { randomInt } from 'node:crypto';
import { dynamoOutbox, type OutboxEntry } from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { documentClient, eventually, gateway } from '../gateway/gateway.ts';

/** A British mobile number that no other test sends to. */
export function freshNumber(): string {
  // A range of Great Britain: ranges next to it belong to Jersey, Guernsey and the Isle of Man.
  return `+44795${String(randomInt(10 ** 7)).padStart(7, '0')}`;
}

/** The messages that the simulated carrier received for a number, newest first. */
export async function outboxOf(to: string): Promise<OutboxEntry[]> {
  const dynamo = documentClient();
  try {
    const outbox = dynamoOutbox(dynamo, gateway().tables.simulator_outbox ?? '', 1);
    return [...(await outbox.page({ to }, { limit: 2000 })).entries];
  } finally {
    dynamo.destroy();
  }
}

/** Waits until the outbox of a number has so many entries. */
export function outboxOnce(to: string, count: number): Promise<OutboxEntry[]> {
  return eventually(
    async () => {
      const entries = await outboxOf(to);
      return entries.length >= count ? entries : undefined;
    },
    { everyMilliseconds: 200 },
  );
}
