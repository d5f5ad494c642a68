/** Shows the legs of a send with `fallback`: those that have started, and those that follow if it comes to that. */
import type { Message } from '../message.ts';
import type { FallbackLeg } from '../message-response.schema.ts';
import type { MessageStore } from '../store/message-store.ts';
import { earlierLegIds, firstIdOf, laterLegIds } from './legs.ts';

interface ShownLegs {
  /** The first leg, whose row names those that follow. */
  readonly first: Message;
  readonly following: readonly FallbackLeg[];
}

/** Undefined for a message of no such send: nothing is read for it. */
export async function showLegs(
  messages: Pick<MessageStore, 'getMany'>,
  message: Message,
): Promise<ShownLegs | undefined> {
  const others = [...earlierLegIds(message), ...laterLegIds(message)];
  if (others.length === 0) return undefined;
  const rows = new Map([message, ...(await messages.getMany(others))].map((row) => [row.message_id, row]));
  const first = rows.get(firstIdOf(message));
  // Kept as long as the messages that follow it, or longer; somebody deleted it.
  if (first === undefined) return undefined;
  const ids = laterLegIds(first);
  const following = (first.fallback ?? []).map(({ channel, after_seconds }, index) => {
    const row = rows.get(ids[index] ?? '');
    return {
      channel,
      after_seconds: after_seconds ?? null,
      message_id: row?.message_id ?? null,
      status: row?.status ?? null,
    };
  });
  return { first, following };
}
