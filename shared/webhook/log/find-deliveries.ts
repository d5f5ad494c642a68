/**
 * A client's deliveries by its messages, the newest message first. Deliveries are not indexed: their ids follow from a
 * message, its events and the client's endpoints. One call looks at a bounded number of ids, and ends with a position at
 * which the next one continues.
 */
import type { Activity, ActivityLog, ActivityPage, ActivityQuery } from '../../activity/activity-log.ts';
import type { Message } from '../../message/message.ts';
import { listPosition, type MessageList } from '../../message/store/message-list.dynamo.ts';
import type { MessageStore } from '../../message/store/message-store.ts';
import { opaqueCursor } from '../../operation/list-query.ts';
import type { Sleep } from '../../platform/clock.ts';
import { type Delivery, deliveryIdOf } from '../delivery.ts';
import type { DeliveryStore, ResendStore } from '../delivery-store.dynamo.ts';
import type { EndpointReader } from '../endpoint-store.dynamo.ts';
import { disabledNoticeId } from '../notification.ts';
import { type EnqueueDependencies, eventsOf } from '../plan-deliveries.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.ts';

/** What the log of webhooks and resends use. */
export interface WebhookLogDependencies extends EnqueueDependencies {
  /** Webhooks are found by the messages that they are about, failed ones by their entries in the Activity Log. */
  readonly messages: Pick<MessageStore, 'get' | 'getMany'>;
  readonly list: MessageList;
  readonly activity: { list(query: ActivityQuery): Promise<ActivityPage> };
  readonly deliveries: DeliveryStore;
  readonly resends: ResendStore;
  readonly endpoints: EndpointReader;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly activityLog: ActivityLog;
  readonly reportFailedDelivery: (delivery: Delivery) => void;
  readonly sleep: Sleep;
}

/** A position after a message in the list, or within a message after a number of its deliveries. */
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
  /** The time at which the message entered the state. */
  readonly happenedAt: string;
}

export interface Located {
  readonly candidate: Candidate;
  /** Undefined if no worker has claimed it yet, or if there was nothing to deliver. */
  readonly delivery: Delivery | undefined;
}

interface ByMessagesQuery {
  readonly clientId: string;
  /** The only message to search, instead of all. */
  readonly message?: Message | undefined;
  /** The earliest time at which the messages were accepted, ISO 8601, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The endpoints; undefined means the URL of the message or the account. */
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
  dependencies: Pick<WebhookLogDependencies, 'messages' | 'list' | 'deliveries'>,
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
  { list, messages }: Pick<WebhookLogDependencies, 'list' | 'messages'>,
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

/**
 * A client's deliveries that have failed, the latest failure first, from the entries `webhook_failed` of the Activity Log.
 * A delivery that failed, was resent and failed again has two entries; it is found by the one of its last failure.
 */
interface FailedQuery {
  readonly clientId: string;
  /** The earliest time of the failures. */
  readonly since: Date;
  readonly until: Date;
  /** Entries to read. */
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Whether reads are strongly consistent; by default they may be a second old. */
  readonly consistent?: boolean | undefined;
}

interface Failure {
  /** The position after this failure. */
  readonly cursor: string;
  readonly failedAt: string;
  readonly delivery: Delivery;
}

interface FailurePage {
  readonly failures: readonly Failure[];
  readonly nextCursor?: string | undefined;
}

/** Each call of DynamoDB reads 200 entries of any kind, or `limit` if that is more. */
const readsMax = 5;

/** Every failure in the range whose delivery is kept, whatever its state is now; a page may be empty and have a cursor. */
export async function failuresOf(
  { activity, deliveries }: Pick<WebhookLogDependencies, 'activity' | 'deliveries'>,
  { clientId, since, until, limit, cursor, consistent = false }: FailedQuery,
): Promise<FailurePage> {
  const query = {
    clientId,
    kind: 'webhook_failed',
    since,
    until,
    limit,
    cursor,
    readsMax,
    consistent,
  } as const;
  const { entries, nextCursor } = await activity.list(query);
  const ids = entries.flatMap(({ delivery_id }) => delivery_id ?? []);
  const rows = await deliveries.getMany(ids, { consistent });
  const byId = new Map(rows.map((row) => [row.delivery_id, row]));
  const failures = entries.flatMap(({ entry_id, at, delivery_id = '' }) => {
    const delivery = byId.get(delivery_id);
    if (delivery?.client_id !== clientId) return [];
    return [{ cursor: entry_id, failedAt: at, delivery }];
  });
  return { failures, nextCursor };
}

/** Whether the delivery is failed now, by the failure of this entry. */
export function isLastFailure({ delivery, failedAt }: Failure): boolean {
  return delivery.state === 'failed' && delivery.finished_at === failedAt;
}

/**
 * The latest webhooks of a client that follow from no message, the newest first: test events, and notices that an endpoint was
 * disabled. They are found by the entries of the Activity Log that are written with them.
 */
interface LocatedNotification {
  /** Among those of messages, by the time of the event. */
  readonly position: Position;
  readonly delivery: Delivery;
}

interface NotificationRange {
  readonly clientId: string;
  /** All of the client. */
  readonly endpoints: readonly Pick<WebhookEndpoint, 'endpoint_id'>[];
  readonly since: Date;
  readonly until: Date;
}

export const entriesMax = 50;
/** Each call of DynamoDB reads 200 entries of any kind: what is before the 400 latest entries is not listed. */
const noticeReadsMax = 2;

export async function notificationDeliveries(
  { activity, deliveries }: Pick<WebhookLogDependencies, 'activity' | 'deliveries'>,
  { clientId, endpoints, since, until }: NotificationRange,
): Promise<readonly LocatedNotification[]> {
  const kind = ['webhook_test_sent', 'webhook_endpoint_disabled'] as const;
  const { entries } = await activity.list({
    clientId,
    kind,
    since,
    until,
    limit: entriesMax,
    readsMax: noticeReadsMax,
  });
  const ids = entries.flatMap((entry) => idsOf(entry, endpoints));
  const rows = await deliveries.getMany(ids, { consistent: false });
  return rows
    .filter(({ client_id }) => client_id === clientId)
    .map((delivery) => ({ position: { message: positionOf(delivery) }, delivery }))
    .toSorted((one, other) => (one.position.message < other.position.message ? 1 : -1));
}

/** Returns the id of one test event, or of a notice for each other endpoint: those that did not want it have no row. */
function idsOf(
  { kind, delivery_id, at, after }: Activity,
  endpoints: NotificationRange['endpoints'],
): readonly string[] {
  if (kind === 'webhook_test_sent') return delivery_id === undefined ? [] : [delivery_id];
  const endpointId = after?.endpoint_id;
  if (typeof endpointId !== 'string') return [];
  return endpoints.map((to) => disabledNoticeId({ endpointId, at }, to.endpoint_id));
}

/** Returns a position as if the delivery were a message with the rest of its id. */
function positionOf({ created_at, delivery_id }: Delivery): string {
  return `${created_at}#msg_${delivery_id.slice('whd_'.length)}`;
}

/**
 * The cursors of the delivery log: a position among the deliveries of messages, or an entry of the Activity Log. A position
 * ends with its delivery, 0 after the last one of its message, so that it is no cursor of the list of messages.
 */
export const entryCursor = opaqueCursor(/^act_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

const positions = opaqueCursor(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9A-HJKMNP-TV-Z]{26}~(?:0|[1-9]\d{0,2})$/,
);

export const positionCursor = {
  encode: ({ message, within }: Position): string => positions.encode(`${message}~${within ?? 0}`),

  /** @throws GatewayError `invalid_request` where `encode` did not make it. */
  decode(cursor: string): Position {
    const [message = '', within] = positions.decode(cursor).split('~');
    return { message, within: Number(within) || undefined };
  },
};
