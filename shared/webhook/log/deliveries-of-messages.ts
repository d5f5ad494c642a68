/**
 * A client's deliveries by its messages, the newest message first. Deliveries are not indexed: their ids follow from a
 * message, its events and the client's endpoints. One call looks at a bounded number of ids, and ends with a position at
 * which the next one continues.
 */
import type { Message } from '../../message/message.ts';
import type { MessageList } from '../../message/store/message-list.ts';
import { listPosition } from '../../message/store/message-row.ts';
import type { MessageStore } from '../../message/store/message-store.ts';
import type { Delivery } from '../delivery.ts';
import { deliveryIdOf } from '../plan/delivery-due-item.ts';
import { eventsOf } from '../plan/events-of-change.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

export interface ByMessagesDependencies {
  readonly messages: Pick<MessageStore, 'getMany'>;
  readonly list: MessageList;
  readonly deliveries: Pick<DeliveryStore, 'getMany'>;
}

/** After a message's list position; or within it, after so many of its deliveries. */
export interface Position {
  readonly message: string;
  readonly within?: number | undefined;
}

/** A delivery that a message may have had. */
export interface Candidate {
  readonly position: Position;
  readonly message: Message;
  readonly deliveryId: string;
  readonly event: string;
  readonly endpointId: string | undefined;
  /** When the message entered the state. */
  readonly happenedAt: string;
}

export interface Located {
  readonly candidate: Candidate;
  /** Undefined if no worker has claimed it yet, or if there was nothing to deliver. */
  readonly delivery: Delivery | undefined;
}

interface ByMessagesQuery {
  readonly clientId: string;
  /** One message instead of all. */
  readonly message?: Message | undefined;
  /** When the messages were accepted, ISO 8601, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Undefined is the URL of the message or the account. */
  readonly endpointIds: readonly (string | undefined)[];
  readonly event?: string | undefined;
  readonly after?: Position | undefined;
  readonly consistent?: boolean | undefined;
}

interface ByMessagesPage {
  readonly located: readonly Located[];
  /** Undefined after the last message. */
  readonly end: Position | undefined;
}

/** The ids that one call looks at, about. */
const idsPerPage = 400;
const messagesPerPageMax = 100;
/** They sort before and after every position. */
const [first, last] = ['0', '~'];

export async function deliveriesOfMessages(
  dependencies: ByMessagesDependencies,
  query: ByMessagesQuery,
): Promise<ByMessagesPage> {
  const { messages, end } = await messagesOf(dependencies, query);
  const { after } = query;
  const candidates = messages
    .flatMap((message) => candidatesOf(message, query))
    .filter(({ position }) => position.message !== after?.message || isAfter(position, after));
  const ids = candidates.map(({ deliveryId }) => deliveryId);
  const rows = await dependencies.deliveries.getMany(ids, { consistent: query.consistent ?? false });
  const byId = new Map(rows.map((row) => [row.delivery_id, row]));
  const located = candidates.map((candidate) => ({ candidate, delivery: byId.get(candidate.deliveryId) }));
  return { located, end };
}

/** The next messages, with the one in which the page before ended. */
async function messagesOf(
  { list, messages }: ByMessagesDependencies,
  query: ByMessagesQuery,
): Promise<{ readonly messages: readonly Message[]; readonly end: Position | undefined }> {
  const { clientId, after, message, since, until } = query;
  if (message !== undefined) {
    const isInRange = message.created_at >= (since ?? first) && message.created_at <= (until ?? last);
    return { messages: isInRange ? [message] : [], end: undefined };
  }
  const idsPerMessage = 3 * query.endpointIds.length;
  const count = Math.max(1, Math.min(messagesPerPageMax, Math.floor(idsPerPage / idsPerMessage)));
  const untilEnd = until === undefined ? last : `${until}#${last}`;
  const before = after !== undefined && after.message < untilEnd ? after.message : untilEnd;
  const range = { clientId, direction: 'all', from: since ?? first, before } as const;
  const keys: { readonly messageId: string; readonly position: string }[] = [];
  if (after?.within !== undefined) {
    const messageId = after.message.slice(after.message.indexOf('#') + 1);
    keys.push({ messageId, position: after.message });
  }
  if (range.from <= before) {
    for await (const key of list.keys(range, count)) {
      keys.push(key);
      if (keys.length >= count) break;
    }
  }
  const rows = await messages.getMany(
    keys.map(({ messageId }) => messageId),
    { consistent: query.consistent ?? false },
  );
  const byId = new Map(rows.map((row) => [row.message_id, row]));
  const found = keys.flatMap(({ messageId }) => byId.get(messageId) ?? []);
  const lastKey = keys.at(-1);
  return {
    messages: found.filter((row) => row.client_id === clientId),
    end: keys.length < count || lastKey === undefined ? undefined : { message: lastKey.position },
  };
}

/** The latest event first. */
function candidatesOf(message: Message, { endpointIds, event: wanted }: ByMessagesQuery): Candidate[] {
  const position = listPosition(message);
  const found = new Map<string, Omit<Candidate, 'position'>>();
  for (const { event, happenedAt } of eventsOf(message)) {
    for (const endpointId of wanted === undefined || wanted === event ? endpointIds : []) {
      const deliveryId = deliveryIdOf({ messageId: message.message_id, event, endpointId });
      found.set(deliveryId, { message, deliveryId, event, endpointId, happenedAt });
    }
  }
  const newestFirst = [...found.values()].toSorted(
    (a, b) => Date.parse(b.happenedAt) - Date.parse(a.happenedAt),
  );
  return newestFirst.map((candidate, index) => ({
    ...candidate,
    position: { message: position, within: index + 1 },
  }));
}

function isAfter({ within = 0 }: Position, after: Position): boolean {
  return after.within !== undefined && within > after.within;
}
